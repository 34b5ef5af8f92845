// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.reap;

import io.dsec.model.Reason;
import io.dsec.model.SandboxState;
import io.dsec.server.sandbox.Catalog;
import io.dsec.server.sandbox.Removals;
import io.dsec.server.sandbox.Sandbox;
import io.dsec.server.sandbox.SandboxRecord;
import io.dsec.server.sandbox.Settlement;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes what should be gone: expired, idle, or finished and still there. Nodes enforce the expiry
 * themselves; this is the second line. Also compares with the nodes and asks again for removals
 * that did not come to an end.
 */
public final class Reaper {
  private static final Logger LOG = LoggerFactory.getLogger(Reaper.class);
  private static final Duration GRACE = Duration.ofSeconds(30);

  private final Catalog catalog;
  private final Removals removals;
  private final Settlement settlement;
  private final Retention retention;
  private final ReapSettings settings;
  private final Clock clock;

  public Reaper(
      Catalog catalog,
      Removals removals,
      Settlement settlement,
      Retention retention,
      ReapSettings settings,
      Clock clock) {
    this.catalog = catalog;
    this.removals = removals;
    this.settlement = settlement;
    this.retention = retention;
    this.settings = settings;
    this.clock = clock;
  }

  /** One round; a part that fails leaves the others alone. */
  public void round() {
    attempt(settlement::settle);
    attempt(this::sweep);
    attempt(() -> retention.forgetBefore(clock.instant().minus(settings.keepEnded())));
  }

  private void sweep() {
    Instant now = clock.instant();
    for (Sandbox sandbox : catalog.live()) {
      if (sandbox.ended()) {
        settlement.again(sandbox);
      } else if (sandbox.removal().isPresent()) {
        removals.begin(sandbox, Duration.ZERO, sandbox.removal().get());
      } else {
        due(sandbox, now).ifPresent(reason -> reap(sandbox, reason));
      }
    }
  }

  private void reap(Sandbox sandbox, Reason reason) {
    LOG.info("reaping {}: {}", sandbox.id(), reason);
    removals.begin(sandbox, GRACE, reason);
  }

  private Optional<Reason> due(Sandbox sandbox, Instant now) {
    SandboxRecord record = sandbox.record();
    if (record.startedAt() == null) {
      return Optional.empty();
    }
    Instant expiry = record.expiresAt();
    if (expiry != null && now.isAfter(expiry.plus(settings.every()))) {
      return Optional.of(Reason.TTL_EXPIRED);
    }
    if (sandbox.isTask()) {
      boolean lingers =
          sandbox.mainEndedAt().filter(at -> now.isAfter(at.plus(settings.linger()))).isPresent();
      return lingers ? Optional.of(Reason.FINISHED) : Optional.empty();
    }
    boolean idle =
        record.state() != SandboxState.PAUSED // somebody wants to come back to it
            && sandbox.execs().get() == 0
            && now.isAfter(sandbox.touched().plus(settings.idle()));
    return idle ? Optional.of(Reason.IDLE_TIMEOUT) : Optional.empty();
  }

  private static void attempt(Runnable part) {
    try {
      part.run();
    } catch (RuntimeException e) {
      LOG.warn("a part of a reaper's round failed", e);
    }
  }
}
