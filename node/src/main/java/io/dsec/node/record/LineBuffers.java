// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import java.util.concurrent.ArrayBlockingQueue;
import org.jspecify.annotations.Nullable;

/** Spare buffers: at most 32 of at most 512 KiB, so that an idle recorder needs none. */
final class LineBuffers {
  private static final int SPARE = 32;
  private static final int LARGEST = 512 << 10;

  private final ArrayBlockingQueue<LineBuffer> spare = new ArrayBlockingQueue<>(SPARE);

  LineBuffer take() {
    @Nullable LineBuffer buffer = spare.poll();
    return buffer == null ? new LineBuffer() : buffer;
  }

  void give(LineBuffer buffer) {
    if (buffer.capacity() <= LARGEST) {
      buffer.truncate(0);
      boolean _ = spare.offer(buffer);
    }
  }
}
