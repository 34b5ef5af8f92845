// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.sandbox;

import io.dsec.link.SandboxReport;
import io.dsec.model.DsecException;
import io.dsec.model.Reason;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxSpec;
import io.dsec.server.queue.WaitingLine;
import io.dsec.server.schedule.Member;
import io.dsec.server.schedule.NodeDirectory;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes up the sandboxes of the server's last run: what runs goes on, what waited waits again, and
 * what can do neither ends with a reason.
 */
public final class Restoration {
  private static final Logger LOG = LoggerFactory.getLogger(Restoration.class);

  /** Reads a stored request back. */
  public interface Requests {
    SandboxSpec spec(String request);
  }

  private final SandboxTable table;
  private final Catalog catalog;
  private final WaitingLine<Sandbox> line;
  private final NodeDirectory nodes;
  private final Endings endings;
  private final Requests requests;

  public Restoration(
      SandboxTable table,
      Catalog catalog,
      WaitingLine<Sandbox> line,
      NodeDirectory nodes,
      Endings endings,
      Requests requests) {
    this.table = table;
    this.catalog = catalog;
    this.line = line;
    this.nodes = nodes;
    this.endings = endings;
    this.requests = requests;
  }

  /** Called once, before the first settlement and before any work is taken. */
  public void restore() {
    Set<SandboxId> reported = new HashSet<>();
    for (Member node : nodes.members()) {
      for (SandboxReport report : node.commands().reports()) {
        reported.add(report.id());
      }
    }
    for (SandboxTable.Row row : table.open()) {
      restore(row, reported.contains(row.record().id()));
    }
  }

  private void restore(SandboxTable.Row row, boolean onNode) {
    SandboxRecord record = row.record();
    Optional<SandboxSpec> spec = spec(record, row.request());
    Sandbox sandbox = new Sandbox(record, spec.orElse(null));
    catalog.add(sandbox);
    if (onNode || record.node() != null) {
      return; // the settlement compares it with its node
    }
    if (spec.isPresent()) {
      line.add(record.priority(), record.tenant(), sandbox);
    } else {
      endings.gone(
          sandbox,
          Reason.SERVER_RESTARTED,
          "the server restarted before it was placed, and what it needs was not kept (secrets)");
    }
  }

  private Optional<SandboxSpec> spec(SandboxRecord record, @Nullable String request) {
    if (request == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(requests.spec(request).withLabels(record.labels()));
    } catch (DsecException e) {
      LOG.warn("the stored request of {} cannot be read", record.id(), e);
      return Optional.empty();
    }
  }
}
