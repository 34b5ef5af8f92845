// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Whole lines of a file, one after another, up to a given end. Holds one block of the file. */
final class LineReader implements AutoCloseable {
  private static final int BLOCK = 64 << 10;
  private static final int LONGEST = 64 << 20;

  private final Path path;
  private volatile @Nullable RandomAccessFile file;
  private volatile boolean closed;
  private byte[] block = {};

  /** Offset in the file of {@code block[0]}. */
  private long base;

  private int filled;
  private int from;
  private int to;
  private int next;

  LineReader(Path path, long position) {
    this.path = path;
    this.base = position;
  }

  byte[] bytes() {
    return block;
  }

  int from() {
    return from;
  }

  int to() {
    return to;
  }

  /** Offset in the file after the last line returned. */
  long position() {
    return base + next;
  }

  /** Moves to the next line that ends before {@code end}; false when there is none (yet). */
  boolean next(long end) throws IOException {
    int searched = next;
    while (true) {
      for (int i = searched; i < filled; i++) {
        if (block[i] == '\n') {
          from = next;
          to = i;
          next = i + 1;
          return true;
        }
      }
      int kept = filled - next;
      if (base + filled >= end || kept >= LONGEST || !fill(end)) {
        return false;
      }
      searched = next + kept;
    }
  }

  /** Gives back the file and the memory; reading goes on where it was. */
  void rest() throws IOException {
    base = position();
    next = 0;
    filled = 0;
    block = new byte[0];
    closeFile();
  }

  /** May be called from any thread; reading then fails or ends. */
  @Override
  public void close() throws IOException {
    closed = true;
    closeFile();
  }

  private void closeFile() throws IOException {
    RandomAccessFile in = file;
    file = null;
    if (in != null) {
      in.close();
    }
  }

  private boolean fill(long end) throws IOException {
    RandomAccessFile in = file;
    if (in == null) {
      in = new RandomAccessFile(path.toFile(), "r");
      file = in;
      if (closed) {
        closeFile();
        return false;
      }
    }
    int kept = filled - next;
    if (next > 0) {
      System.arraycopy(block, next, block, 0, kept);
      base += next;
      next = 0;
      filled = kept;
    }
    if (filled == block.length) {
      block = Arrays.copyOf(block, Math.max(BLOCK, block.length * 2));
    }
    in.seek(base + filled);
    int want = (int) Math.min(block.length - filled, end - base - filled);
    int got = in.read(block, filled, want);
    if (got <= 0) {
      return false;
    }
    filled += got;
    return true;
  }
}
