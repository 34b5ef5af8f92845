// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.exec;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.dsec.model.Bytes;
import io.dsec.model.ExecResult;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The result of an exec as users see it. Text has U+FFFD where bytes are not UTF-8; the exact bytes
 * then come as base64. Of the bytes kept the first {@code …HeadBytes} are the stream's first, the
 * others its last.
 */
public record ExecReply(
    EndingReply ending,
    String id,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String stdout,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String stderr,
    @Nullable String stdoutBase64,
    @Nullable String stderrBase64,
    long stdoutBytes,
    long stderrBytes,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long stdoutHeadBytes,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long stderrHeadBytes,
    boolean stdoutTruncated,
    boolean stderrTruncated,
    double durationSeconds,
    List<Long> seq) {

  public static ExecReply of(ExecResult result) {
    Optional<String> out = result.stdout().text();
    Optional<String> err = result.stderr().text();
    return new ExecReply(
        EndingReply.of(result.ending(), result.limitsHit()),
        result.id(),
        out.orElseGet(() -> result.stdout().lossyText()),
        err.orElseGet(() -> result.stderr().lossyText()),
        out.isPresent() ? null : result.stdout().base64(),
        err.isPresent() ? null : result.stderr().base64(),
        result.stdoutBytes(),
        result.stderrBytes(),
        head(result.stdout(), result.stdoutTruncated()),
        head(result.stderr(), result.stderrTruncated()),
        result.stdoutTruncated(),
        result.stderrTruncated(),
        result.duration().toNanos() / 1e9,
        List.of(result.firstSeq(), result.lastSeq()));
  }

  /** How many of the bytes kept come before what is missing: a node keeps half at each end. */
  private static long head(Bytes kept, boolean truncated) {
    return truncated ? kept.length() - kept.length() / 2 : kept.length();
  }

  /** The end of a stream: its output went before. */
  public static ExecReply end(ExecResult result) {
    return new ExecReply(
        EndingReply.of(result.ending(), result.limitsHit()),
        result.id(),
        null,
        null,
        null,
        null,
        result.stdoutBytes(),
        result.stderrBytes(),
        null,
        null,
        result.stdoutTruncated(),
        result.stderrTruncated(),
        result.duration().toNanos() / 1e9,
        List.of(result.firstSeq(), result.lastSeq()));
  }

  /** Bytes kept of a stream, and how many of them come before what is missing. */
  public record Bounded(Bytes kept, long head) {}

  /**
   * Keeps at most {@code limit} bytes of what was kept of a stream, half at each end, cutting no
   * character.
   */
  public static Bounded bounded(Bytes stream, boolean truncated, int limit) {
    if (stream.length() <= limit) {
      return new Bounded(stream, head(stream, truncated));
    }
    byte[] all = stream.toArray();
    int head = limit / 2;
    int tail = all.length - limit / 2;
    boolean text = stream.text().isPresent();
    while (text && head > 0 && continues(all[head])) {
      head--;
    }
    while (text && tail < all.length && continues(all[tail])) {
      tail++;
    }
    byte[] kept = new byte[head + all.length - tail];
    System.arraycopy(all, 0, kept, 0, head);
    System.arraycopy(all, tail, kept, head, all.length - tail);
    return new Bounded(Bytes.wrap(kept), head);
  }

  /** A byte inside a UTF-8 character. */
  private static boolean continues(byte b) {
    return (b & 0xC0) == 0x80;
  }
}
