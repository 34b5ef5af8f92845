// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import java.time.Duration;

/** Counts running calls; once closed, lets no new one in and waits for the others. */
final class Drain {
  private int running;
  private boolean closed;

  synchronized void enter() {
    if (closed) {
      throw Gate.stopping();
    }
    running++;
  }

  synchronized void leave() {
    running--;
    notifyAll();
  }

  synchronized boolean closed() {
    return closed;
  }

  synchronized void close() {
    closed = true;
  }

  /** True when the last running call ended within the limit. */
  synchronized boolean await(Duration limit) throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    while (running > 0) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      wait(Math.max(1, left / 1_000_000));
    }
    return true;
  }
}
