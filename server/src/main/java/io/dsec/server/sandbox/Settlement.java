// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.sandbox;

import io.dsec.link.NodeCommands;
import io.dsec.link.SandboxReport;
import io.dsec.model.Reason;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxState;
import io.dsec.server.schedule.Ledger;
import io.dsec.server.schedule.Member;
import io.dsec.server.schedule.NodeDirectory;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the server's records with what nodes say they run. Placed here and gone there: it ends
 * as lost. Running there and unknown here: it is removed. Runs at the start and with each round of
 * the reaper.
 */
public final class Settlement {
  private static final Logger LOG = LoggerFactory.getLogger(Settlement.class);

  /** A failed sandbox is given so long to be torn down before its end is taken as final. */
  private static final Duration TEAR_DOWN = Duration.ofSeconds(20);

  private final Catalog catalog;
  private final NodeDirectory nodes;
  private final Ledger ledger;
  private final Endings endings;
  private final Clock clock;

  public Settlement(
      Catalog catalog, NodeDirectory nodes, Ledger ledger, Endings endings, Clock clock) {
    this.catalog = catalog;
    this.nodes = nodes;
    this.ledger = ledger;
    this.endings = endings;
    this.clock = clock;
  }

  /** One comparison with every node; nodes that do not answer are left for the next one. */
  public void settle() {
    for (Member node : nodes.members()) {
      try {
        settle(node);
      } catch (RuntimeException e) {
        LOG.warn("node {} gave no reports", node.name(), e);
      }
    }
  }

  /** Storing the end of this one failed before. */
  public void again(Sandbox sandbox) {
    endings.follow(sandbox);
  }

  private void settle(Member node) {
    Set<SandboxId> here = new HashSet<>();
    for (Sandbox sandbox : catalog.live()) {
      if (node.name().equals(sandbox.record().node()) && !sandbox.placing()) {
        here.add(sandbox.id());
      }
    }
    List<SandboxReport> reports = node.commands().reports();
    for (SandboxReport report : reports) {
      here.remove(report.id());
      Optional<Sandbox> sandbox = catalog.live(report.id());
      if (sandbox.isPresent()) {
        known(node, sandbox.get(), report);
      } else {
        unknown(node.commands(), report);
      }
    }
    for (SandboxId id : here) {
      catalog.live(id).ifPresent(sandbox -> missing(node, sandbox));
    }
  }

  private void known(Member node, Sandbox sandbox, SandboxReport report) {
    if (sandbox.placing()) {
      return;
    }
    if (report.state() != SandboxState.GONE) {
      ledger.promise(node.name(), sandbox.id(), sandbox.demand());
    }
    sandbox.merge(report);
    Instant late = report.last().at().plus(TEAR_DOWN);
    if (report.state() == SandboxState.FAILED && clock.instant().isAfter(late)) {
      endings.gone(sandbox, report.last().reason(), "");
    } else {
      endings.follow(sandbox);
    }
  }

  private void unknown(NodeCommands node, SandboxReport report) {
    if (report.state() != SandboxState.GONE
        && catalog.find(report.id()).filter(r -> r.endedAt() != null).isEmpty()) {
      LOG.warn("removing {}: no record here knows it", report.id());
    }
    if (report.state() != SandboxState.GONE) {
      boolean _ = node.remove(report.id(), Duration.ZERO, Reason.SERVER_RESTARTED);
    }
    node.acknowledge(report.id());
  }

  private void missing(Member node, Sandbox sandbox) {
    if (sandbox.ended() || sandbox.placing()) {
      return;
    }
    Optional<SandboxReport> report = node.commands().report(sandbox.id());
    if (report.isPresent()) {
      known(node, sandbox, report.get());
    } else {
      endings.lost(
          sandbox,
          Reason.NODE_LOST,
          "node %s has no record of %s".formatted(node.name(), sandbox.id()));
    }
  }
}
