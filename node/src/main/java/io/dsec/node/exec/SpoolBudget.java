// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the kept output of one sandbox may take of the node's disk. Beyond its share, or when the
 * disk runs short as a whole, output is not kept any more: the programs run on, and their results
 * say that they are truncated.
 */
public final class SpoolBudget {
  /** For two streams at the largest {@code max_output}, twice. */
  public static final long SHARE = 256L << 20;

  /** Stays free for journals and the database. */
  private static final long FLOOR = 512L << 20;

  /** Taken at a time, so that the disk is not asked for each write. */
  private static final long STEP = 1L << 20;

  private final Path directory;
  private final long share;
  private long taken;

  public SpoolBudget(Path directory, long share) {
    this.directory = directory;
    this.share = share;
  }

  /** Room for a file to grow from {@code have} to {@code need}; what it may grow to. */
  synchronized long grow(long have, long need) throws IOException {
    if (need <= have) {
      return have;
    }
    long more = Math.max(need - have, Math.min(STEP, share - taken));
    if (taken + more > share) {
      throw new IOException(
          "the outputs of this sandbox take %d MiB already".formatted(taken >> 20));
    }
    if (Files.getFileStore(directory).getUsableSpace() < FLOOR + more) {
      throw new IOException("less than %d MiB are free".formatted(FLOOR >> 20));
    }
    taken += more;
    return have + more;
  }

  /** A file that is there already. */
  synchronized long adopt(long bytes) {
    taken += bytes;
    return bytes;
  }

  synchronized void giveBack(long bytes) {
    taken -= bytes;
  }

  synchronized long taken() {
    return taken;
  }
}
