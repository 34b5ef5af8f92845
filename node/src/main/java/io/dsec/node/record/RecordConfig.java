// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import io.dsec.model.DsecException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;

/**
 * Where trajectories are spooled and how much of them is kept.
 *
 * @param directory one file per sandbox, mode 0700
 * @param sandboxBytes largest trajectory; beyond it only life-cycle events are kept, up to 1 MiB
 *     more
 * @param streamBytes head of each stream of an exec that is kept
 * @param totalBytes all trajectories together; the oldest closed ones go first, and when only live
 *     ones are left nothing more is written
 * @param retention age, since its last event, at which a closed trajectory is removed
 */
public record RecordConfig(
    Path directory, long sandboxBytes, long streamBytes, long totalBytes, Duration retention) {
  public static final long SANDBOX_BYTES = 512L << 20;
  public static final long STREAM_BYTES = 1L << 20;
  public static final long TOTAL_BYTES = 20L << 30;
  public static final Duration RETENTION = Duration.ofDays(7);

  public RecordConfig {
    Objects.requireNonNull(directory);
    atLeast("record.sandbox_bytes", sandboxBytes, 4096);
    atLeast("record.stream_bytes", streamBytes, 0);
    atLeast("record.total_bytes", totalBytes, 4096);
    if (retention.isNegative() || retention.isZero()) {
      throw DsecException.invalid(
          "record.retention",
          "record.retention is %s; it must be longer than 0".formatted(retention));
    }
  }

  public static RecordConfig in(Path directory) {
    return new RecordConfig(directory, SANDBOX_BYTES, STREAM_BYTES, TOTAL_BYTES, RETENTION);
  }

  public RecordConfig withSandboxBytes(long bytes) {
    return new RecordConfig(directory, bytes, streamBytes, totalBytes, retention);
  }

  public RecordConfig withStreamBytes(long bytes) {
    return new RecordConfig(directory, sandboxBytes, bytes, totalBytes, retention);
  }

  public RecordConfig withTotalBytes(long bytes) {
    return new RecordConfig(directory, sandboxBytes, streamBytes, bytes, retention);
  }

  private static void atLeast(String field, long value, long min) {
    if (value < min) {
      throw DsecException.invalid(
          field, "%s is %d; it must be at least %d".formatted(field, value, min));
    }
  }
}
