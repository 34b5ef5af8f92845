// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * The file behind one output stream: its head, then a ring for its tail.
 *
 * <p>Where a byte lies follows from its offset in the stream alone: offset {@code o} below {@code
 * head} at {@code o}, any other at {@code head + (o - head) mod tail}. So bytes may be written
 * again after a crash, and nothing but the stream's length is needed to read the file.
 *
 * <p>An interrupt of one reader, which closes a channel, never shows to another.
 */
final class Spool implements Closeable {
  private final Path path;
  private final long head;
  private final long tail;
  private @Nullable FileChannel file;

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
    readAt(0, ByteBuffer.wrap(kept, 0, first));
    if (rest > 0) {
      long at = head + (from - head) % tail;
      int toEnd = (int) Math.min(rest, head + tail - at);
      readAt(at, ByteBuffer.wrap(kept, first, toEnd));
      readAt(head, ByteBuffer.wrap(kept, first + toEnd, rest - toEnd));
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
    readAt(at, ByteBuffer.wrap(data));
    return data;
  }

  private void writeAt(long position, ByteBuffer data, int count) throws IOException {
    ByteBuffer part = data.slice(data.position(), count);
    undisturbed(
        out -> {
          part.rewind();
          while (part.hasRemaining()) {
            int _ = out.write(part, position + part.position());
          }
        });
    data.position(data.position() + count);
  }

  private void readAt(long position, ByteBuffer into) throws IOException {
    if (!into.hasRemaining()) {
      return;
    }
    ByteBuffer part = into.slice();
    undisturbed(
        in -> {
          part.rewind();
          while (part.hasRemaining()) {
            if (in.read(part, position + part.position()) < 0) {
              throw new IOException("%s is shorter than the stream it keeps".formatted(path));
            }
          }
        });
  }

  /** What can be done again from its beginning. */
  private interface Work {
    void on(FileChannel file) throws IOException;
  }

  /**
   * An interrupt is put off until {@code work} is done; one that comes meanwhile has it repeated.
   */
  private void undisturbed(Work work) throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        interrupted |= Thread.interrupted();
        try {
          work.on(open());
          return;
        } catch (ClosedByInterruptException _) {
          file = null;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private FileChannel open() throws IOException {
    FileChannel open = file;
    if (open == null) {
      open =
          FileChannel.open(
              path, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
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
