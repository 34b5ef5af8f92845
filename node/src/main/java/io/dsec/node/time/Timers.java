// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.time;

import java.time.Duration;

/** Runs tasks later, each on a thread of its own, and lets a thread wait. */
public interface Timers {
  /** Stops a task that has not begun. Safe to repeat. */
  interface Handle {
    void cancel();
  }

  Handle after(Duration delay, Runnable task);

  /** Nanoseconds of a clock that only moves forward; its origin means nothing. */
  long nanos();

  /** Parks the calling thread, which is never interrupted. */
  void pause(Duration time);
}
