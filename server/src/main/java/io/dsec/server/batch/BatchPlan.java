// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.batch;

import java.util.List;

/**
 * A batch that was checked and may be stored.
 *
 * @param document what all tasks share, as JSON
 * @param tasks each task's own part, as JSON, in the order given
 */
public record BatchPlan(
    String name,
    String document,
    List<String> ids,
    List<String> tasks,
    Graph graph,
    Pacing pacing) {
  public BatchPlan {
    ids = List.copyOf(ids);
    tasks = List.copyOf(tasks);
  }
}
