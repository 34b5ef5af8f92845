// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.batch;

import java.util.Map;
import java.util.TreeMap;

/**
 * How far a batch is.
 *
 * @param states tasks by state: {@code pending}, {@code started} (wait for a node), {@code
 *     running}, {@code ended}
 * @param endings ended tasks by kind of ending
 * @param succeeded exited with 0
 * @param faults ended by a fault of the platform
 * @param retried attempts beyond the first
 */
public record Counts(
    Map<String, Integer> states,
    Map<String, Integer> endings,
    int succeeded,
    int faults,
    int retried) {
  public Counts {
    states = new TreeMap<>(states);
    endings = new TreeMap<>(endings);
  }

  public int ended() {
    return states.getOrDefault("ended", 0);
  }
}
