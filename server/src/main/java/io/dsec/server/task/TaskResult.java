// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.task;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.dsec.model.Bytes;
import io.dsec.model.ExecResult;
import io.dsec.server.exec.EndingReply;
import io.dsec.server.exec.ExecReply;
import io.dsec.server.sandbox.TaskEnd;
import io.dsec.server.sandbox.Timings;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a task's end: of each output stream at most {@link #KEPT} bytes, half at each
 * end. The trajectory has more.
 */
public record TaskResult(
    EndingReply ending,
    @Nullable String node,
    String stdout,
    String stderr,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String stdoutBase64,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String stderrBase64,
    long stdoutBytes,
    long stderrBytes,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long stdoutHeadBytes,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long stderrHeadBytes,
    boolean stdoutTruncated,
    boolean stderrTruncated,
    @Nullable Double durationSeconds,
    List<Long> seq,
    Timings timings) {
  public static final int KEPT = 64 << 10;

  public static TaskResult of(TaskEnd end) {
    if (end.result().isEmpty()) {
      return without(
          EndingReply.of(end.ending(), Set.of()), end.sandbox().node(), end.sandbox().timings());
    }
    ExecResult full = end.result().get();
    ExecReply.Bounded out = ExecReply.bounded(full.stdout(), full.stdoutTruncated(), KEPT);
    ExecReply.Bounded err = ExecReply.bounded(full.stderr(), full.stderrTruncated(), KEPT);
    Bytes stdout = out.kept();
    Bytes stderr = err.kept();
    return new TaskResult(
        EndingReply.of(full.ending(), full.limitsHit()),
        end.sandbox().node(),
        stdout.lossyText(),
        stderr.lossyText(),
        stdout.isUtf8() ? null : stdout.base64(),
        stderr.isUtf8() ? null : stderr.base64(),
        full.stdoutBytes(),
        full.stderrBytes(),
        out.head(),
        err.head(),
        full.stdoutBytes() > stdout.length(),
        full.stderrBytes() > stderr.length(),
        full.duration().toNanos() / 1e9,
        List.of(full.firstSeq(), full.lastSeq()),
        end.sandbox().timings());
  }

  /** For a task whose command left nothing behind. */
  public static TaskResult without(EndingReply ending, @Nullable String node, Timings timings) {
    return new TaskResult(
        ending, node, "", "", null, null, 0, 0, null, null, false, false, null, List.of(), timings);
  }
}
