// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.sandbox;

import io.dsec.link.Placed;
import io.dsec.link.Placement;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.Reason;
import io.dsec.model.SandboxSpec;
import io.dsec.server.observe.Meters;
import io.dsec.server.schedule.Member;
import io.dsec.server.schedule.Starter;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Starts sandboxes on the nodes that were chosen for them. */
public final class Placements implements Starter<Sandbox> {
  /** There is one server; its lease never changes hands. */
  private static final long EPOCH = 1;

  private final SandboxTable table;
  private final Endings endings;
  private final Meters meters;
  private final Clock clock;

  public Placements(SandboxTable table, Endings endings, Meters meters, Clock clock) {
    this.table = table;
    this.endings = endings;
    this.meters = meters;
    this.clock = clock;
  }

  @Override
  public void waits(Sandbox sandbox, String why) {
    sandbox.waits(Reason.NO_CAPACITY, why, clock.instant());
  }

  @Override
  public void withdrawn(Sandbox sandbox) {
    endings.gone(sandbox, sandbox.removal().orElse(Reason.CANCELLED), "removed while it waited");
  }

  @Override
  public void start(Sandbox sandbox, Member node) {
    Optional<SandboxSpec> spec = sandbox.spec();
    if (spec.isEmpty() || !sandbox.leaveQueue(clock.instant())) {
      withdrawn(sandbox);
      return;
    }
    Instant begin = clock.instant();
    Instant expiry = begin.plus(spec.get().ttl());
    sandbox.orderedFrom(node.name(), expiry);
    Placement order =
        new Placement(
            sandbox.id(),
            EPOCH,
            sandbox.tenant(),
            spec.get(),
            sandbox.tier(),
            sandbox.record().attempt(),
            expiry,
            sandbox.fork());
    try {
      Placed placed = node.commands().place(order);
      Instant now = clock.instant();
      sandbox.placed(placed, Duration.between(begin, now));
      sandbox.touch(now);
    } catch (DsecException e) {
      meters.placement(e.code().code());
      if (e.code() == ErrorCode.NO_CAPACITY) {
        throw e;
      }
      endings.startFailed(sandbox, e);
      return;
    } catch (RuntimeException e) {
      meters.placement(ErrorCode.SANDBOX_FAILED.code());
      endings.startFailed(
          sandbox,
          DsecException.of(
                  ErrorCode.SANDBOX_FAILED,
                  "sandbox %s did not start on node %s: %s".formatted(sandbox.id(), node.name(), e))
              .withCause(e));
      return;
    }
    meters.placement("ok");
    sandbox.record().timings().tell(meters);
    sandbox.removal().ifPresent(reason -> removeLate(sandbox, node, reason));
    if (!sandbox.stored()) {
      table.placed(sandbox.record());
    }
    endings.follow(sandbox);
  }

  private void removeLate(Sandbox sandbox, Member node, Reason reason) {
    boolean _ = node.commands().remove(sandbox.id(), Duration.ZERO, reason);
    endings.gone(sandbox, reason, "removed while it started");
  }
}
