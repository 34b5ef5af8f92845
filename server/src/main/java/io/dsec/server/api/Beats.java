// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** How often a reply that is silent shows that it is alive. */
record Beats(ScheduledExecutorService timer, Duration every) {
  /** Repeats {@code beat} on a virtual thread until the result is cancelled. */
  Future<?> start(Runnable beat) {
    return timer.scheduleAtFixedRate(
        () -> Thread.ofVirtual().start(beat),
        every.toNanos(),
        every.toNanos(),
        TimeUnit.NANOSECONDS);
  }
}
