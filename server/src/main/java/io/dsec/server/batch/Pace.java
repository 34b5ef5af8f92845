// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.batch;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How many tasks may start now. Used under the lock of its batch. */
interface Pace {
  /** {@code waiting} tasks were started and wait for a node. */
  int allowance(Instant now, int waiting, int nodes);

  /** So many were started. */
  void took(Instant now, int tasks);

  /** When to ask again, if time alone changes the answer. */
  Optional<Instant> wake(Instant now);

  /** Micro-batches: so many per node, then a pause, which spares the nodes. */
  final class MicroBatches implements Pace {
    private final int size;
    private final Duration interval;
    private @Nullable Instant next;

    MicroBatches(int size, Duration interval) {
      this.size = size;
      this.interval = interval;
    }

    @Override
    public int allowance(Instant now, int waiting, int nodes) {
      return next == null || !now.isBefore(next) ? size * Math.max(1, nodes) : 0;
    }

    @Override
    public void took(Instant now, int tasks) {
      if (tasks > 0) {
        next = now.plus(interval);
      }
    }

    @Override
    public Optional<Instant> wake(Instant now) {
      return Optional.ofNullable(next).filter(t -> t.isAfter(now));
    }
  }

  /** As many as nodes take: a bounded number waits, and nodes that are full hold them there. */
  final class Window implements Pace {
    private final int size;

    Window(int size) {
      this.size = size;
    }

    @Override
    public int allowance(Instant now, int waiting, int nodes) {
      return Math.max(0, size * Math.max(1, nodes) - waiting);
    }

    @Override
    public void took(Instant now, int tasks) {
      // the number of those that wait says it all
    }

    @Override
    public Optional<Instant> wake(Instant now) {
      return Optional.empty();
    }
  }
}
