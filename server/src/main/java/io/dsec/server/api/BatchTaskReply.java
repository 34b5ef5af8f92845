// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.dsec.server.batch.EndedTask;
import io.dsec.server.exec.EndingReply;
import io.dsec.server.sandbox.Timings;
import io.dsec.server.task.TaskResult;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The result of one task of a batch; {@code n} counts endings, for {@code from}. */
record BatchTaskReply(
    long n,
    String id,
    int index,
    @Nullable String sandbox,
    @Nullable String node,
    int attempt,
    EndingReply ending,
    String stdout,
    String stderr,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String stdoutBase64,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String stderrBase64,
    long stdoutBytes,
    long stderrBytes,
    boolean stdoutTruncated,
    boolean stderrTruncated,
    @Nullable Double durationSeconds,
    List<Long> seq,
    Timings timings,
    @Nullable String trajectory) {

  static BatchTaskReply of(EndedTask task) {
    TaskResult r = task.result();
    return new BatchTaskReply(
        task.n(),
        task.id(),
        task.index(),
        task.sandbox(),
        r.node(),
        task.attempt(),
        r.ending(),
        r.stdout(),
        r.stderr(),
        r.stdoutBase64(),
        r.stderrBase64(),
        r.stdoutBytes(),
        r.stderrBytes(),
        r.stdoutTruncated(),
        r.stderrTruncated(),
        r.durationSeconds(),
        r.seq(),
        r.timings(),
        task.sandbox() == null ? null : "/v1/sandboxes/" + task.sandbox() + "/trajectory");
  }
}
