// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.time;

import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One platform thread keeps the time; each task runs on a virtual thread of its own. */
public final class SystemTimers implements Timers, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(SystemTimers.class);

  private final ScheduledThreadPoolExecutor executor;

  public SystemTimers() {
    executor =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("dsec-timers").factory());
    executor.setRemoveOnCancelPolicy(true);
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  @Override
  public Handle after(Duration delay, Runnable task) {
    if (executor.isShutdown()) {
      return () -> {};
    }
    Future<?> future = executor.schedule(() -> start(task), delay.toNanos(), TimeUnit.NANOSECONDS);
    return () -> future.cancel(false);
  }

  private static void start(Runnable task) {
    Thread.ofVirtual()
        .name("timer-task")
        .start(
            () -> {
              try {
                task.run();
              } catch (RuntimeException e) {
                log.error("a timer task failed", e);
              }
            });
  }

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public void pause(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    for (long left = time.toNanos(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(this, left);
    }
  }

  @Override
  public void close() {
    executor.shutdownNow();
  }
}
