// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.batch;

import java.time.Duration;
import java.util.List;

/**
 * What a batch document may override.
 *
 * @param waveSize tasks of one wave at most
 * @param microBatch tasks of one wave that start together, per node
 * @param interval between two micro-batches
 * @param window with adaptive pacing: tasks of one batch that wait for a node at a time
 */
public record BatchSettings(int waveSize, int microBatch, Duration interval, int window) {
  public static final BatchSettings DEFAULT = new BatchSettings(200, 5, Duration.ofSeconds(2), 64);

  public void problems(List<String> problems) {
    if (waveSize < 1 || microBatch < 1 || window < 1) {
      problems.add("batches.wave_size, micro_batch and window must be at least 1");
    }
    if (interval.isNegative()) {
      problems.add("batches.interval must not be negative");
    }
  }
}
