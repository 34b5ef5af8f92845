// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A batch as the server describes it.
 *
 * @param states how many tasks are in each state
 * @param endings how many tasks have ended in each way
 */
public record Batch(
    String id,
    @Nullable String name,
    String state,
    @Nullable String message,
    int total,
    Map<String, Integer> states,
    Map<String, Integer> endings,
    @Nullable Instant createdAt,
    @Nullable Instant endedAt) {
  public Batch {
    states = states == null ? Map.of() : Map.copyOf(states);
    endings = endings == null ? Map.of() : Map.copyOf(endings);
  }

  /** Nothing of it runs or will run. */
  public static boolean over(Batch batch) {
    return batch.endedAt() != null;
  }
}
