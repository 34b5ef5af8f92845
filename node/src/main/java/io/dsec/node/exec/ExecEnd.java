// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.model.Ending;
import io.dsec.model.Limit;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * How an exec ended.
 *
 * @param began it had run
 * @param stdoutBytes of the stream when it ended; children may write more
 * @param stderrBytes of the stream when it ended; children may write more
 * @param lastSeq of the event that tells it
 */
record ExecEnd(
    Ending ending,
    Set<Limit> limits,
    Duration duration,
    boolean began,
    long stdoutBytes,
    long stderrBytes,
    long lastSeq) {
  ExecEnd {
    limits = Set.copyOf(limits);
  }

  /** What is known of limits beside the ending itself. */
  record Signs(boolean diskFull, boolean pidsRefused, boolean truncated) {
    Set<Limit> limits(Ending ending) {
      Set<Limit> hit = EnumSet.noneOf(Limit.class);
      if (ending instanceof Ending.Oom) {
        hit.add(Limit.MEMORY);
      }
      if (diskFull) {
        hit.add(Limit.DISK);
      }
      if (pidsRefused && !(ending instanceof Ending.NotStarted)) {
        hit.add(Limit.PIDS);
      }
      if (truncated) {
        hit.add(Limit.OUTPUT);
      }
      return hit;
    }
  }
}
