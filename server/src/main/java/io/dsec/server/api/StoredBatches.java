// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Json;
import io.dsec.server.batch.BatchSettings;
import io.dsec.server.batch.Pacing;
import io.dsec.server.batch.Retries;
import io.dsec.server.batch.TaskOrders;
import io.dsec.server.schedule.NodeDirectory;
import tools.jackson.databind.node.ObjectNode;

/** Reads batches back that were stored as their clients sent them. */
public final class StoredBatches implements TaskOrders {
  private final BatchSettings settings;
  private final NodeDirectory nodes;
  private volatile Last last = new Last("", null);

  public StoredBatches(BatchSettings settings, NodeDirectory nodes) {
    this.settings = settings;
    this.nodes = nodes;
  }

  @Override
  public TaskOrder order(String document, String task) {
    return entry(document, task).order();
  }

  @Override
  public Retries retries(String document, String task) {
    return entry(document, task).retries();
  }

  @Override
  public Pacing pacing(String document) {
    return parsed(document).pacing();
  }

  private BatchTaskEntry entry(String document, String task) {
    return BatchTaskEntry.of(0, Json.mapper().readTree(task), parsed(document), nodes.members());
  }

  /** Tasks of one batch come after each other, so the last document is kept. */
  private BatchDocument parsed(String document) {
    Last known = last;
    if (known.parsed != null && known.text.equals(document)) {
      return known.parsed;
    }
    BatchDocument parsed =
        BatchDocument.of((ObjectNode) Json.mapper().readTree(document), settings);
    last = new Last(document, parsed);
    return parsed;
  }

  private record Last(String text, @org.jspecify.annotations.Nullable BatchDocument parsed) {}
}
