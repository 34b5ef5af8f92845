// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.Reason;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxState;
import io.dsec.model.StateChange;
import io.dsec.node.exec.ExecTable;
import io.dsec.node.time.Timers;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Freezing and thawing of one sandbox; transitions take turns. init is not frozen: it goes on
 * answering, and is told first, so that no exec's time runs meanwhile.
 *
 * <p>The kernel acts before the journal tells: a node that dies in between finds the earlier state
 * on record and makes it true again ({@link #adopted}). Ending a sandbox needs no turn, since a
 * kill reaches frozen processes too.
 */
final class Pauses {
  private static final Logger log = LoggerFactory.getLogger(Pauses.class);
  private static final Duration TO_FREEZE = Duration.ofSeconds(5);

  /** Who resumes at once does not pay for reading everything again. */
  private static final Duration BEFORE_RECLAIM = Duration.ofSeconds(1);

  private final SandboxId id;
  private final SandboxSupport support;
  private final Parts parts;
  private final Life life;
  private final ReentrantLock turn = new ReentrantLock();
  private Timers.@Nullable Handle reclaim;

  Pauses(SandboxId id, SandboxSupport support, Parts parts, Life life) {
    this.id = id;
    this.support = support;
    this.parts = parts;
    this.life = life;
  }

  /** Does nothing in a state other than running. */
  void pause() {
    turn.lock();
    try {
      if (life.state() != SandboxState.RUNNING) {
        return;
      }
      freeze();
      if (become(SandboxState.PAUSED, Reason.REQUESTED)) {
        support.metrics().paused("paused");
        reclaim =
            support
                .timers()
                .after(BEFORE_RECLAIM, () -> support.reclaim().later(this::giveMemoryBack));
      } else {
        thaw();
      }
    } finally {
      turn.unlock();
    }
  }

  /** Does nothing in a state other than paused. */
  void resume(Reason why) {
    turn.lock();
    try {
      if (life.state() == SandboxState.PAUSED) {
        if (reclaim != null) {
          reclaim.cancel();
        }
        thaw();
        if (become(SandboxState.RUNNING, why)) {
          support.metrics().paused(why == Reason.WOKEN ? "woken" : "resumed");
        }
      }
    } finally {
      turn.unlock();
    }
  }

  /** Runs {@code work} while all processes stand still; they go on as before, whatever happens. */
  <T> T still(Supplier<T> work) {
    turn.lock();
    try {
      if (life.state() != SandboxState.RUNNING) {
        return work.get();
      }
      freeze();
      try {
        return work.get();
      } finally {
        thaw();
      }
    } finally {
      turn.unlock();
    }
  }

  /** Processes can hear a signal again, whatever the state. */
  void thawToEnd() {
    turn.lock();
    try {
      thaw();
    } finally {
      turn.unlock();
    }
  }

  /** Makes true what the journal of an earlier node process says. */
  void adopted() {
    turn.lock();
    try {
      if (life.state() == SandboxState.PAUSED) {
        freeze();
      } else {
        thaw();
      }
    } finally {
      turn.unlock();
    }
  }

  private void freeze() {
    hold(true);
    boolean frozen = false;
    try {
      frozen = support.cgroups().freeze(id, TO_FREEZE);
    } finally {
      if (!frozen) {
        thaw();
      }
    }
    if (!frozen) {
      support.metrics().paused("failed");
      throw DsecException.of(
              ErrorCode.TIMEOUT,
              "a process of sandbox %s did not stop within %d s; it runs on"
                  .formatted(id, TO_FREEZE.toSeconds()))
          .withHint("a process in the middle of disk or device work cannot be frozen; try again");
    }
  }

  private void thaw() {
    support.cgroups().thaw(id);
    hold(false);
  }

  private void hold(boolean on) {
    ExecTable execs = parts.execs;
    if (execs != null) {
      execs.hold(on);
    }
  }

  private void giveMemoryBack() {
    try {
      if (life.state() == SandboxState.PAUSED) {
        long before = support.cgroups().usage(id).memory();
        support.cgroups().reclaim(id);
        support.metrics().reclaimed(before - support.cgroups().usage(id).memory());
      }
    } catch (RuntimeException e) {
      log.warn("{}: memory was not given back: {}", id, e.toString());
    }
  }

  private boolean become(SandboxState next, Reason why) {
    return life.become(new StateChange(next, why, "", support.clock().instant()));
  }
}
