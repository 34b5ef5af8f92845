// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.node.time.Timers;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How long an exec runs, and the node's own alarm behind its timeout: that comes {@link #BACKSTOP}
 * after init should have acted. While the exec's sandbox is frozen its time stands still. Guarded
 * by the exec's lock.
 */
final class Deadline {
  private static final Duration BACKSTOP = Duration.ofSeconds(2);

  private final Timers timers;
  private final Runnable overdue;
  private Optional<Duration> limit = Optional.empty();
  private Timers.@Nullable Handle alarm;
  private boolean begun;
  private boolean held;
  private long from; // on the timers' clock, moved on by what was held
  private long heldSince;

  /** {@code overdue} runs without the exec's lock. */
  Deadline(Timers timers, Runnable overdue) {
    this.timers = timers;
    this.overdue = overdue;
  }

  void begin(Optional<Duration> timeout) {
    begun = true;
    from = timers.nanos();
    limit = timeout.map(time -> time.plus(BACKSTOP));
    arm();
  }

  private void arm() {
    limit.ifPresent(time -> alarm = timers.after(time.minus(elapsed()), overdue));
  }

  /** After the time has passed: {@code action} runs after {@link #BACKSTOP} once more. */
  void again(Runnable action) {
    alarm = timers.after(BACKSTOP, action);
  }

  boolean held() {
    return held;
  }

  void hold() {
    if (!held) {
      held = true;
      heldSince = timers.nanos();
      cancel();
    }
  }

  void release() {
    if (held) {
      held = false;
      from += timers.nanos() - heldSince;
      arm();
    }
  }

  Duration elapsed() {
    long now = held ? heldSince : timers.nanos();
    return begun ? Duration.ofNanos(now - from) : Duration.ZERO;
  }

  /** No alarm comes any more. */
  void cancel() {
    if (alarm != null) {
      alarm.cancel();
    }
  }
}
