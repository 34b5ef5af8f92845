// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import java.time.Duration;

/** Waits between two tries; a test does not. */
@FunctionalInterface
public interface Pause {
  void of(Duration length) throws InterruptedException;

  Pause SLEEPING = Thread::sleep;
}
