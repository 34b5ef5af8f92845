// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.disk;

import io.dsec.model.SandboxId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.random.RandomGenerator;

/**
 * Writes to a fresh layer beyond its limit: a back end is fit for use when that fails in time. It
 * writes with the node's own capabilities, as sandboxes do: an overlay acts with those of whoever
 * mounted it.
 */
final class LimitTest {
  private static final long LIMIT = 8L << 20;

  /** Far enough above for slack and delayed allocation. */
  private static final long MOST = 16L << 20;

  private final RandomGenerator random;

  LimitTest(RandomGenerator random) {
    this.random = random;
  }

  /**
   * @throws IllegalStateException when the limit does not hold, or comes far too early
   */
  void run(WritableLayers layers) {
    SandboxId id = SandboxId.random(random);
    try {
      Path file = layers.create(id, LIMIT).upper().resolve("limit-test");
      long written = writeUntilRefused(file);
      if (written >= MOST) {
        throw new IllegalStateException(
            "%d bytes fitted into a layer of %d: the limit is not enforced"
                .formatted(written, LIMIT));
      }
      if (written < LIMIT / 2) {
        throw new IllegalStateException(
            "only %d bytes fitted into a layer of %d".formatted(written, LIMIT));
      }
    } finally {
      layers.destroy(id);
    }
  }

  private static long writeUntilRefused(Path file) {
    ByteBuffer chunk = ByteBuffer.allocateDirect(1 << 16);
    long written = 0;
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      while (written < MOST) {
        written += channel.write(chunk.clear());
      }
      channel.force(true); // a limit may show only when the blocks are given out
    } catch (IOException e) {
      return Math.min(written, MOST - 1);
    }
    return written;
  }
}
