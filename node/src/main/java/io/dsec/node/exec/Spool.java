// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The file behind one output stream: its head, then a ring for its tail.
 *
 * <p>Where a byte lies follows from its offset in the stream alone: offset {@code o} below {@code
 * head} at {@code o}, any other at {@code head + (o - head) mod tail}. So bytes may be written
 * again after a crash, and nothing but the stream's length is needed to read the file.
 *
 * <p>Not a {@code FileChannel}: an interrupt of one reader would close that for all.
 */
final class Spool implements Closeable {
  private static final int CHUNK = 64 << 10;

  private final Path path;
  private final long head;
  private final long tail;
  private @Nullable RandomAccessFile file;

  Spool(Path path, long max) {
    this.path = path;
    this.tail = max / 2;
    this.head = max - tail;
  }

  void write(long from, ByteBuffer data) throws IOException {
    long offset = from;
    if (offset < head) {
      int n = (int) Math.min(head - offset, data.remaining());
      writeAt(offset, data, n);
      offset += n;
    }
    if (tail == 0 || !data.hasRemaining()) {
      return;
    }
    if (data.remaining() > tail) {
      int skipped = (int) (data.remaining() - tail);
      data.position(data.position() + skipped);
      offset += skipped;
    }
    while (data.hasRemaining()) {
      long at = (offset - head) % tail;
      int n = (int) Math.min(tail - at, data.remaining());
      writeAt(head + at, data, n);
      offset += n;
    }
  }

  /**
   * The kept bytes of the first {@code length} of a stream of which {@code written} were written
   * here.
   */
  byte[] read(long length, long written) throws IOException {
    int first = (int) Math.min(head, length);
    long from = keptFrom(head, written);
    int rest = (int) Math.max(0, length - from);
    byte[] kept = new byte[first + rest];
    readAt(0, kept, 0, first);
    if (rest > 0) {
      long at = head + (from - head) % tail;
      int toEnd = (int) Math.min(rest, head + tail - at);
      readAt(at, kept, first, toEnd);
      readAt(head, kept, first + toEnd, rest - toEnd);
    }
    return kept;
  }

  /**
   * Offset of the first byte at {@code from} or beyond that is still here, of a stream of which
   * {@code length} bytes were written here.
   */
  long keptFrom(long from, long length) {
    return from < head ? from : Math.max(from, Math.min(length, Math.max(head, length - tail)));
  }

  /** Bytes from a kept offset on: at most {@code max}, and at least one before {@code length}. */
  byte[] read(long from, long length, int max) throws IOException {
    long at = from < head ? from : head + (from - head) % tail;
    long room = from < head ? head - from : head + tail - at;
    byte[] data = new byte[(int) Math.min(Math.min(room, length - from), max)];
    readAt(at, data, 0, data.length);
    return data;
  }

  private void writeAt(long position, ByteBuffer data, int count) throws IOException {
    RandomAccessFile out = open();
    out.seek(position);
    byte[] bytes = new byte[Math.min(count, CHUNK)];
    for (int left = count; left > 0; ) {
      int n = Math.min(left, bytes.length);
      data.get(bytes, 0, n);
      out.write(bytes, 0, n);
      left -= n;
    }
  }

  private void readAt(long position, byte[] into, int from, int count) throws IOException {
    if (count == 0) {
      return;
    }
    RandomAccessFile in = open();
    in.seek(position);
    try {
      in.readFully(into, from, count);
    } catch (EOFException e) {
      throw new IOException("%s is shorter than the stream it keeps".formatted(path), e);
    }
  }

  private RandomAccessFile open() throws IOException {
    RandomAccessFile open = file;
    if (open == null) {
      open = new RandomAccessFile(path.toFile(), "rw");
      file = open;
    }
    return open;
  }

  void delete() throws IOException {
    close();
    Files.deleteIfExists(path);
  }

  @Override
  public void close() throws IOException {
    if (file != null) {
      file.close();
      file = null;
    }
  }
}
