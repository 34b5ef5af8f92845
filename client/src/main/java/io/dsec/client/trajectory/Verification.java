// SPDX-License-Identifier: Apache-2.0
package io.dsec.client.trajectory;

import java.util.List;

/**
 * What a check of a trajectory found.
 *
 * @param events lines that are events
 * @param gaps {@code record.gap} events: what is known to be missing
 * @param problems the first hundred faults
 * @param faults how many there are
 */
public record Verification(long events, long gaps, List<Problem> problems, long faults) {
  public Verification {
    problems = List.copyOf(problems);
  }

  /**
   * @param line number in the file, from 1
   */
  public record Problem(long line, String message) {
    @Override
    public String toString() {
      return "line %d: %s".formatted(line, message);
    }
  }

  public boolean isSound() {
    return faults == 0;
  }
}
