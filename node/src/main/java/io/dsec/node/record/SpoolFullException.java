// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import java.io.IOException;
import java.util.Objects;

/** All trajectories together have reached their limit. */
final class SpoolFullException extends IOException {
  SpoolFullException(long limit) {
    super("trajectories take %d bytes, the limit of record.total_bytes".formatted(limit));
  }

  /** The reason that a gap event gives for a failed write. */
  static String reason(IOException e) {
    if (e instanceof SpoolFullException) {
      return "spool_full";
    }
    String message = Objects.toString(e.getMessage(), "");
    return message.contains("No space left on device") || message.contains("Disk quota exceeded")
        ? "disk_full"
        : "io_error";
  }
}
