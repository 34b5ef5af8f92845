// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.server.exec.EndingReply;
import io.dsec.server.sandbox.Timings;
import io.dsec.server.task.TaskRecord;
import io.dsec.server.task.TaskResult;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A task as users see it; what its command left is null until it ended. */
record TaskReply(
    String id,
    String state,
    String tenant,
    String sandbox,
    Instant createdAt,
    @Nullable Instant endedAt,
    @Nullable EndingReply ending,
    @Nullable String node,
    @Nullable String stdout,
    @Nullable String stderr,
    @Nullable String stdoutBase64,
    @Nullable String stderrBase64,
    long stdoutBytes,
    long stderrBytes,
    @Nullable Long stdoutHeadBytes,
    @Nullable Long stderrHeadBytes,
    boolean stdoutTruncated,
    boolean stderrTruncated,
    @Nullable Double durationSeconds,
    List<Long> seq,
    @Nullable Timings timings,
    String trajectory) {

  static TaskReply of(TaskRecord task, String state) {
    String trajectory = "/v1/sandboxes/" + task.sandbox() + "/trajectory";
    TaskResult r = task.result();
    if (r == null) {
      return new TaskReply(
          task.id(),
          state,
          task.tenant(),
          task.sandbox().value(),
          task.createdAt(),
          null,
          null,
          null,
          null,
          null,
          null,
          null,
          0,
          0,
          null,
          null,
          false,
          false,
          null,
          List.of(),
          null,
          trajectory);
    }
    return new TaskReply(
        task.id(),
        state,
        task.tenant(),
        task.sandbox().value(),
        task.createdAt(),
        task.endedAt(),
        r.ending(),
        r.node(),
        r.stdout(),
        r.stderr(),
        r.stdoutBase64(),
        r.stderrBase64(),
        r.stdoutBytes(),
        r.stderrBytes(),
        r.stdoutHeadBytes(),
        r.stderrHeadBytes(),
        r.stdoutTruncated(),
        r.stderrTruncated(),
        r.durationSeconds(),
        r.seq(),
        r.timings(),
        trajectory);
  }
}
