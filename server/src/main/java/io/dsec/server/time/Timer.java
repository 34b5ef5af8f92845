// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.time;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs actions later, each on a virtual thread of its own: one that blocks holds up no other. */
public final class Timer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Timer.class);

  private final ScheduledThreadPoolExecutor thread;

  public Timer() {
    thread =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().name("dsec-timer").daemon(true).factory());
    thread.setRemoveOnCancelPolicy(true); // an alarm that was not needed holds on to nothing
  }

  /** Cancelling does not stop an action that has begun. */
  public Future<?> after(Duration delay, Runnable action) {
    return thread.schedule(() -> start(action), delay.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** At a fixed rate, first after {@code period}; one may begin before the last has ended. */
  public Future<?> every(Duration period, Runnable action) {
    long nanos = period.toNanos();
    return thread.scheduleAtFixedRate(() -> start(action), nanos, nanos, TimeUnit.NANOSECONDS);
  }

  private static void start(Runnable action) {
    Thread.ofVirtual()
        .name("dsec-later")
        .uncaughtExceptionHandler((_, e) -> LOG.error("what was to be done later failed", e))
        .start(action);
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
