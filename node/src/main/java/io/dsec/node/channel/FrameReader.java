// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.channel;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a byte stream into frames: a 4-byte big-endian length, then that many bytes. Does no I/O:
 * the caller reads into {@link #space} and then takes frames from {@link #next} until there are
 * none.
 *
 * <p>Small frames are cut out of one small buffer. A frame that does not fit there is collected in
 * a borrowed buffer of its size, into which the caller then reads directly, so that its bytes are
 * copied once, by the kernel.
 */
final class FrameReader {
  static final int MAX_FRAME = 1 << 20;
  private static final int HEADER = 4;
  private static final int SMALL = 1024;

  private final BufferPool pool;
  private final ByteBuffer small = ByteBuffer.allocate(SMALL);
  private int start; // of the first byte in `small` that is not cut yet
  private @Nullable ByteBuffer big;

  FrameReader(BufferPool pool) {
    this.pool = pool;
  }

  /** Where the next bytes of the stream go; always has room. */
  ByteBuffer space() {
    if (big != null) {
      return big;
    }
    if (start > 0) {
      small.limit(small.position()).position(start);
      small.compact();
      start = 0;
    }
    return small;
  }

  @Nullable Frame next() throws ProtocolBreach {
    if (big != null) {
      return big.hasRemaining() ? null : takeBig(big);
    }
    int filled = small.position() - start;
    if (filled < HEADER) {
      return null;
    }
    int length = small.getInt(start);
    if (length < 1 || length > MAX_FRAME) {
      throw new ProtocolBreach(
          "a frame says it is %d bytes long; 1 to %d are allowed"
              .formatted(Integer.toUnsignedLong(length), MAX_FRAME));
    }
    if (length <= filled - HEADER) {
      Frame frame = new Frame(small.slice(start + HEADER, length), null);
      start += HEADER + length;
      return frame;
    }
    if (length <= SMALL - HEADER) {
      return null;
    }
    ByteBuffer body = pool.take(length);
    body.put(small.slice(start + HEADER, filled - HEADER));
    small.clear();
    start = 0;
    big = body;
    return null;
  }

  private Frame takeBig(ByteBuffer body) {
    big = null;
    return new Frame(body.flip(), pool);
  }

  /** Gives a borrowed buffer back; the reader is not used afterwards. */
  void close() {
    if (big != null) {
      pool.give(big);
      big = null;
    }
  }
}
