// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.channel;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Buffers for big frames, shared by all channels of a node, so that an idle channel holds none.
 * Keeps at most {@code count} direct buffers; whoever comes when they are all out gets heap memory
 * of the exact size, which the collector takes back.
 */
public final class BufferPool {
  /** Fits an Output of 256 KiB with its header. */
  static final int SIZE = (256 << 10) + 256;

  private final ArrayDeque<ByteBuffer> free = new ArrayDeque<>();
  private final int count;
  private int made;

  public BufferPool(int count) {
    this.count = count;
  }

  /** Position 0, limit {@code length}. */
  ByteBuffer take(int length) {
    if (length > SIZE) {
      return ByteBuffer.allocate(length);
    }
    ByteBuffer buffer = takeDirect();
    return buffer == null ? ByteBuffer.allocate(length) : buffer.clear().limit(length);
  }

  private synchronized @Nullable ByteBuffer takeDirect() {
    ByteBuffer buffer = free.pollFirst();
    if (buffer == null && made < count) {
      made++;
      buffer = ByteBuffer.allocateDirect(SIZE);
    }
    return buffer;
  }

  void give(ByteBuffer buffer) {
    if (buffer.isDirect()) {
      synchronized (this) {
        free.addFirst(buffer);
      }
    }
  }
}
