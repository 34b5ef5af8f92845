// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.reap;

import java.time.Duration;
import java.util.List;

/**
 * @param every between two rounds
 * @param idle without any call or running command: the sandbox goes
 * @param linger a task whose main command ended this long ago goes, with whatever it left running
 * @param keepEnded records of ended sandboxes, tasks and batches, and idempotency keys
 */
public record ReapSettings(Duration every, Duration idle, Duration linger, Duration keepEnded) {
  public static final ReapSettings DEFAULT =
      new ReapSettings(
          Duration.ofSeconds(30),
          Duration.ofMinutes(30),
          Duration.ofSeconds(60),
          Duration.ofDays(7));

  public void problems(List<String> problems) {
    if (every.isNegative() || every.isZero()) {
      problems.add("reap.every must be longer than 0");
    }
    if (idle.isNegative() || linger.isNegative() || keepEnded.isNegative()) {
      problems.add("reap.idle, linger and keep_ended must not be negative");
    }
  }
}
