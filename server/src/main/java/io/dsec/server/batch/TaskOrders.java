// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.batch;

import io.dsec.model.SandboxSpec;
import io.dsec.model.Tier;

/** Reads stored batches back. */
public interface TaskOrders {
  /** What to run for one task, from the batch's document and the task's own part. */
  TaskOrder order(String document, String task);

  Retries retries(String document, String task);

  Pacing pacing(String document);

  /** One task, ready to be placed. */
  record TaskOrder(SandboxSpec spec, Tier tier) {}
}
