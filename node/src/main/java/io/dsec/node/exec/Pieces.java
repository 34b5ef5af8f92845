// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.link.ExecListener;
import io.dsec.node.channel.Frame;
import io.dsec.node.channel.Output;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Output on its way to a listener, both streams in order of arrival. Credit bounds the bytes; small
 * pieces are joined so that their number is bounded too, and big ones stay in the frame that
 * brought them.
 */
final class Pieces {
  private static final int KEEP_FROM = 128 << 10;
  private static final int JOINED = 32 << 10;

  static final class Piece {
    final int stream;
    final long offset;
    ByteBuffer data; // position 0, limit: bytes so far
    final @Nullable Frame frame;

    private Piece(int stream, long offset, ByteBuffer data, @Nullable Frame frame) {
      this.stream = stream;
      this.offset = offset;
      this.data = data;
      this.frame = frame;
    }

    ExecListener.Stream name() {
      return stream == 0 ? ExecListener.Stream.STDOUT : ExecListener.Stream.STDERR;
    }

    void release() {
      if (frame != null) {
        frame.release();
      }
    }
  }

  private final ArrayDeque<Piece> queue = new ArrayDeque<>(2);

  boolean isEmpty() {
    return queue.isEmpty();
  }

  /** {@code data} is the part of {@code output} that is new and begins at {@code offset}. */
  void add(Output output, long offset, ByteBuffer data) {
    Frame frame = output.frame();
    if (data.remaining() >= KEEP_FROM && frame.keepable()) {
      frame.keep();
      queue.add(new Piece(output.stream(), offset, data.slice(), frame));
      return;
    }
    Piece last = queue.peekLast();
    if (last == null || !join(last, output.stream(), data)) {
      ByteBuffer copy = ByteBuffer.allocate(data.remaining()).put(data.duplicate()).flip();
      queue.add(new Piece(output.stream(), offset, copy, null));
    }
  }

  private static boolean join(Piece last, int stream, ByteBuffer data) {
    int filled = last.data.limit();
    int wanted = filled + data.remaining();
    if (last.stream != stream || last.frame != null || wanted > JOINED) {
      return false;
    }
    if (wanted > last.data.capacity()) {
      int room = Math.min(JOINED, Math.max(wanted, 2 * filled));
      last.data = ByteBuffer.allocate(room).put(last.data);
    }
    last.data.limit(wanted).put(filled, data, data.position(), data.remaining());
    last.data.position(0);
    return true;
  }

  @Nullable Piece take() {
    return queue.poll();
  }

  void clear() {
    queue.forEach(Piece::release);
    queue.clear();
  }
}
