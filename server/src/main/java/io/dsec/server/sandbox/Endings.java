// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.sandbox;

import io.dsec.link.SandboxReport;
import io.dsec.model.DsecException;
import io.dsec.model.Ending;
import io.dsec.model.ExecResult;
import io.dsec.model.Reason;
import io.dsec.model.SandboxState;
import io.dsec.model.StateChange;
import io.dsec.server.observe.Meters;
import io.dsec.server.schedule.Ledger;
import io.dsec.server.schedule.NodeDirectory;
import java.time.Clock;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What follows from a change of a sandbox: its owner is told, its end is stored, its capacity is
 * given back, and its node may forget it. The order holds over a crash: an owner has stored its end
 * before the sandbox's end is stored, and that before the node is told to forget.
 */
public final class Endings {
  private static final Logger LOG = LoggerFactory.getLogger(Endings.class);

  private final Catalog catalog;
  private final SandboxTable table;
  private final Ledger ledger;
  private final NodeDirectory nodes;
  private final Owners owners;
  private final Meters meters;
  private final Clock clock;

  public Endings(
      Catalog catalog,
      SandboxTable table,
      Ledger ledger,
      NodeDirectory nodes,
      Owners owners,
      Meters meters,
      Clock clock) {
    this.catalog = catalog;
    this.table = table;
    this.ledger = ledger;
    this.nodes = nodes;
    this.owners = owners;
    this.meters = meters;
    this.clock = clock;
  }

  /** A node's word. Returns at once; the consequences follow on another thread. */
  public void report(Sandbox sandbox, SandboxReport report) {
    sandbox.merge(report);
    Thread _ = Thread.ofVirtual().start(() -> follow(sandbox));
  }

  /** The start failed: nothing of it is left on a node. */
  void startFailed(Sandbox sandbox, DsecException error) {
    sandbox.failed(error);
    sandbox.end(SandboxState.FAILED, Failures.reason(error), error.message(), clock.instant());
    follow(sandbox);
  }

  /** It is gone, by the server's own knowledge. */
  void gone(Sandbox sandbox, Reason reason, String message) {
    sandbox.end(SandboxState.GONE, reason, message, clock.instant());
    follow(sandbox);
  }

  /** Its node does not know it any more. */
  void lost(Sandbox sandbox, Reason reason, String message) {
    sandbox.end(SandboxState.FAILED, reason, message, clock.instant());
    follow(sandbox);
  }

  /** Does whatever the present state asks for and was not done before. */
  void follow(Sandbox sandbox) {
    sandbox.followUp().lock();
    try {
      if (sandbox.isTask() && sandbox.takeRunning()) {
        owners.running(sandbox);
      }
      if (sandbox.takeMainEnd()) {
        owners.ended(sandbox, end(sandbox));
        sandbox.ownerTold(clock.instant());
      }
      if (sandbox.takeEnd(clock.instant())) {
        store(sandbox);
      }
    } catch (RuntimeException e) {
      LOG.error("the end of {} could not be stored; the reaper tries again", sandbox.id(), e);
      sandbox.untake();
    } finally {
      sandbox.followUp().unlock();
    }
  }

  private void store(Sandbox sandbox) {
    SandboxRecord record = sandbox.record();
    ledger.release(sandbox.id());
    table.ended(record, clock.instant());
    catalog.drop(sandbox);
    sandbox.markStored();
    meters.ended(record.change());
    String node = record.node();
    if (node != null) {
      nodes.member(node).ifPresent(m -> m.commands().acknowledge(sandbox.id()));
    }
  }

  private static TaskEnd end(Sandbox sandbox) {
    SandboxRecord record = sandbox.record();
    Optional<ExecResult> main = sandbox.main();
    return new TaskEnd(
        main.map(ExecResult::ending).orElseGet(() -> withoutResult(record)), main, record);
  }

  /** Nobody has the main command's own end: the sandbox's end says what became of it. */
  private static Ending withoutResult(SandboxRecord record) {
    StateChange last = record.change();
    if (record.startedAt() == null) {
      return new Ending.NotStarted(last.reason(), last.message());
    }
    return switch (last.reason()) {
      case RECLAIMED, NODE_STOPPED, SERVER_STOPPED -> new Ending.Killed(last.reason());
      case REQUESTED -> new Ending.Killed(Reason.CANCELLED);
      default ->
          last.reason().platform()
              ? new Ending.Lost(last.reason())
              : new Ending.Killed(last.reason());
    };
  }
}
