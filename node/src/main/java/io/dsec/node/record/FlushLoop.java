// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The one thread that writes what recorders have buffered, within 50 ms, tries again where writing
 * failed, and closes files that were not written for two seconds. It sleeps while nothing is
 * recorded.
 */
final class FlushLoop implements AutoCloseable {
  private static final long DELAY_MS = 50;
  private static final long RETRY_MS = 250;
  private static final long IDLE_MS = 2000;

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("dsec-recorder").factory());
  private final Queue<SpooledRecorder> dirty = new ConcurrentLinkedQueue<>();
  private final Set<SpooledRecorder> open = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean armed = new AtomicBoolean();
  private final AtomicBoolean watching = new AtomicBoolean();

  void dirty(SpooledRecorder recorder) {
    dirty.add(recorder);
    if (armed.compareAndSet(false, true)) {
      later(this::drain, DELAY_MS);
    }
  }

  void retry(SpooledRecorder recorder) {
    later(recorder::flush, RETRY_MS);
  }

  void opened(SpooledRecorder recorder) {
    open.add(recorder);
    if (watching.compareAndSet(false, true)) {
      later(this::closeIdle, IDLE_MS);
    }
  }

  private void drain() {
    armed.set(false);
    for (SpooledRecorder next = dirty.poll(); next != null; next = dirty.poll()) {
      next.flush();
    }
  }

  private void closeIdle() {
    watching.set(false);
    open.removeIf(SpooledRecorder::closeIdleFile);
    if (!open.isEmpty() && watching.compareAndSet(false, true)) {
      later(this::closeIdle, IDLE_MS);
    }
  }

  private void later(Runnable work, long milliseconds) {
    try {
      var _ = thread.schedule(work, milliseconds, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException _) {
      // Closed: each recorder has been flushed, and a late event is written by its own close.
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
