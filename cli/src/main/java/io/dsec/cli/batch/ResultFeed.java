// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.batch;

import io.dsec.client.Batch;
import io.dsec.client.Batches;
import io.dsec.client.ConnectionException;
import io.dsec.client.Pause;
import io.dsec.client.TaskResult;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Results of a batch as they come, read by a thread of its own over as many connections as it
 * takes; a result may come twice.
 */
final class ResultFeed implements AutoCloseable {
  private static final int TRIES = 10;
  private static final Duration WAIT = Duration.ofMillis(500);
  private static final int AHEAD = 1024;

  private final Batches batches;
  private final String batch;
  private final Pause pause;
  private final BlockingQueue<Item> items = new LinkedBlockingQueue<>(AHEAD);
  private final Thread thread;
  private volatile boolean closed;
  private long last;

  /** A result, or the failure that ended the feed, or neither at its regular end. */
  record Item(@Nullable TaskResult result, @Nullable RuntimeException failure) {}

  ResultFeed(Batches batches, String batch, Pause pause) {
    this.batches = batches;
    this.batch = batch;
    this.pause = pause;
    this.thread = Thread.ofVirtual().name("dsec-results").start(this::read);
  }

  /** Null when nothing came in time. */
  @Nullable Item poll(Duration wait) throws InterruptedException {
    return items.poll(wait.toNanos(), TimeUnit.NANOSECONDS);
  }

  private void read() {
    try {
      int failures = 0;
      while (!closed) {
        try {
          failures = stream() ? 0 : failures + 1;
          if (Batch.over(batches.get(batch))) {
            stream();
            items.put(new Item(null, null));
            return;
          }
        } catch (ConnectionException e) {
          if (++failures >= TRIES) {
            throw e;
          }
        }
        pause.of(WAIT);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      if (!closed) {
        items.add(new Item(null, e));
      }
    }
  }

  /** True when the connection brought something. */
  private boolean stream() throws InterruptedException {
    boolean some = false;
    try (Batches.ResultStream results = batches.results(batch, last, true)) {
      for (TaskResult next = results.next(); next != null; next = results.next()) {
        items.put(new Item(next, null));
        last = Math.max(last, next.n());
        some = true;
      }
    }
    return some;
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
