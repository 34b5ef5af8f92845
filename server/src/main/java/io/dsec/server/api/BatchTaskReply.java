// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.dsec.server.batch.EndedTask;
import io.dsec.server.task.TaskResult;
import org.jspecify.annotations.Nullable;

/** The result of one task of a batch; {@code n} counts endings, for {@code from}. */
record BatchTaskReply(
    long n,
    String id,
    int index,
    @Nullable String sandbox,
    int attempt,
    @JsonUnwrapped TaskResult result,
    @Nullable String trajectory) {

  static BatchTaskReply of(EndedTask task) {
    return new BatchTaskReply(
        task.n(),
        task.id(),
        task.index(),
        task.sandbox(),
        task.attempt(),
        task.result(),
        task.sandbox() == null ? null : "/v1/sandboxes/" + task.sandbox() + "/trajectory");
  }
}
