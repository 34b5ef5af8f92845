// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import io.dsec.model.SandboxId;
import io.dsec.node.time.Timers;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Copies of writable layers that forks are made from. Nothing of them is on record: after a crash,
 * or when whoever wanted one forgot it, a copy is an orphan and is swept as such.
 */
final class Copies {
  private static final Duration LIFE = Duration.ofMinutes(10);

  private final Timers timers;
  private final Map<SandboxId, Long> ends = new HashMap<>();

  Copies(Timers timers) {
    this.timers = timers;
  }

  /** Before anything of it is made. */
  synchronized void enter(SandboxId copy) {
    ends.put(copy, timers.nanos() + LIFE.toNanos());
  }

  synchronized boolean owns(SandboxId copy) {
    Long end = ends.get(copy);
    if (end != null && end - timers.nanos() < 0) {
      ends.remove(copy);
      return false;
    }
    return end != null;
  }

  synchronized void leave(SandboxId copy) {
    ends.remove(copy);
  }
}
