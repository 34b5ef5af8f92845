// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import java.util.concurrent.atomic.AtomicLong;

/** Bytes of all trajectories on this node, and of the events that still wait in memory. */
final class SpoolSize {
  private static final long MAX_WAITING = 64L << 20;

  private final long limit;
  private final AtomicLong written = new AtomicLong();
  private final AtomicLong waiting = new AtomicLong();

  SpoolSize(long limit) {
    this.limit = limit;
  }

  void found(long bytes) {
    written.set(bytes);
  }

  void written(long bytes) {
    written.addAndGet(bytes);
  }

  boolean isFull() {
    return written.get() >= limit;
  }

  long written() {
    return written.get();
  }

  void waiting(long bytes) {
    waiting.addAndGet(bytes);
  }

  /** Past 64 MiB of waiting events each recorder writes at once, or drops what it cannot write. */
  boolean isCrowded() {
    return waiting.get() > MAX_WAITING;
  }
}
