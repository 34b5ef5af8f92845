// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
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

  /** The kept bytes of a stream of {@code length} bytes, all of which were written here. */
  byte[] read(long length) throws IOException {
    if (length <= head + tail) {
      byte[] all = new byte[(int) length];
      readAt(0, ByteBuffer.wrap(all));
      return all;
    }
    byte[] kept = new byte[(int) (head + tail)];
    readAt(0, ByteBuffer.wrap(kept, 0, (int) head));
    if (tail > 0) {
      long at = (length - head) % tail; // of the oldest byte in the ring
      readAt(head + at, ByteBuffer.wrap(kept, (int) head, (int) (tail - at)));
      readAt(head, ByteBuffer.wrap(kept, (int) (head + tail - at), (int) at));
    }
    return kept;
  }

  private void writeAt(long position, ByteBuffer data, int count) throws IOException {
    FileChannel out = open();
    int limit = data.limit();
    data.limit(data.position() + count);
    for (long at = position; data.hasRemaining(); ) {
      at += out.write(data, at);
    }
    data.limit(limit);
  }

  private void readAt(long position, ByteBuffer into) throws IOException {
    if (!into.hasRemaining()) {
      return;
    }
    FileChannel in = open();
    long at = position;
    while (into.hasRemaining()) {
      int n = in.read(into, at);
      if (n < 0) {
        throw new IOException("%s is shorter than the stream it keeps".formatted(path));
      }
      at += n;
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
