// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.exec;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.dsec.model.Bytes;
import io.dsec.model.ExecResult;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.annotation.JsonSerialize;

/**
 * The result of an exec as users see it. Text has U+FFFD where bytes are not UTF-8; the exact bytes
 * then come as base64. Of the bytes kept the first {@code …HeadBytes} are the stream's first, the
 * others its last.
 */
public record ExecReply(
    EndingReply ending,
    String id,
    @JsonInclude(JsonInclude.Include.NON_NULL) @JsonSerialize(using = Text.class)
        @Nullable Bytes stdout,
    @JsonInclude(JsonInclude.Include.NON_NULL) @JsonSerialize(using = Text.class)
        @Nullable Bytes stderr,
    @JsonSerialize(using = Base64.class) @Nullable Bytes stdoutBase64,
    @JsonSerialize(using = Base64.class) @Nullable Bytes stderrBase64,
    long stdoutBytes,
    long stderrBytes,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long stdoutHeadBytes,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Long stderrHeadBytes,
    boolean stdoutTruncated,
    boolean stderrTruncated,
    double durationSeconds,
    List<Long> seq) {

  private static final int LARGE = 64 << 10;

  public static ExecReply of(ExecResult result) {
    return new ExecReply(
        EndingReply.of(result.ending(), result.limitsHit()),
        result.id(),
        result.stdout(),
        result.stderr(),
        result.stdout().isUtf8() ? null : result.stdout(),
        result.stderr().isUtf8() ? null : result.stderr(),
        result.stdoutBytes(),
        result.stderrBytes(),
        head(result.stdout(), result.stdoutTruncated()),
        head(result.stderr(), result.stderrTruncated()),
        result.stdoutTruncated(),
        result.stderrTruncated(),
        result.duration().toNanos() / 1e9,
        List.of(result.firstSeq(), result.lastSeq()));
  }

  /** Whether it is better written piece by piece than as a whole. */
  public boolean isLarge() {
    int size = stdout == null ? 0 : stdout.length();
    return size + (stderr == null ? 0 : stderr.length()) > LARGE;
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
    boolean text = stream.isUtf8();
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

  /** As text, never held as a whole: it may be megabytes, of many execs at once. */
  static final class Text extends ValueSerializer<Bytes> {
    @Override
    public void serialize(Bytes bytes, JsonGenerator out, SerializationContext context) {
      out.writeString(new InputStreamReader(bytes.stream(), StandardCharsets.UTF_8), -1);
    }
  }

  /** As base64, likewise. */
  static final class Base64 extends ValueSerializer<Bytes> {
    @Override
    public void serialize(Bytes bytes, JsonGenerator out, SerializationContext context) {
      out.writeBinary(bytes.stream(), bytes.length());
    }
  }
}
