// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import java.util.concurrent.Semaphore;

/** How many recordings may keep their file open between writes; the others open it each time. */
final class OpenFiles {
  private static final int KEPT = 256;

  private final Semaphore places = new Semaphore(KEPT);

  boolean tryKeep() {
    return places.tryAcquire();
  }

  void closed() {
    places.release();
  }

  int kept() {
    return KEPT - places.availablePermits();
  }
}
