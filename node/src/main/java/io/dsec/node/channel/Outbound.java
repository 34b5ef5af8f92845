// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.channel;

import com.google.protobuf.CodedOutputStream;
import io.dsec.proto.guest.ToGuest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * Frames waiting to be written to one connection. A writer thread exists only while there are some,
 * so an idle channel costs none. Messages are encoded when they are written: bulk data wait as
 * references.
 *
 * <p>A guest that does not read while the node has {@value #MAX_QUEUED} messages for it is in
 * breach (chunks of stdin do not count: they are bounded by its credit).
 */
final class Outbound {
  static final int MAX_QUEUED = 16_384;
  private static final int BATCH = 64 << 10;

  private final WritableByteChannel channel;
  private final Runnable failed;
  private final ArrayDeque<ToGuest> queue = new ArrayDeque<>(4);
  private int control;
  private boolean writing;
  private boolean dead;

  Outbound(WritableByteChannel channel, Runnable failed) {
    this.channel = channel;
    this.failed = failed;
  }

  synchronized void send(ToGuest message) {
    if (dead) {
      return;
    }
    if (!bulk(message) && ++control > MAX_QUEUED) {
      dead = true;
      queue.clear();
      failed.run();
      return;
    }
    queue.add(message);
    if (!writing) {
      writing = true;
      Thread.ofVirtual().name("guest-writer").start(this::drain);
    }
  }

  private void drain() {
    try {
      for (List<ToGuest> batch = take(); !batch.isEmpty(); batch = take()) {
        ByteBuffer bytes = encode(batch);
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
      }
    } catch (IOException e) {
      stop();
      failed.run();
    }
  }

  private synchronized List<ToGuest> take() {
    List<ToGuest> batch = new ArrayList<>(4);
    int size = 0;
    while (!queue.isEmpty() && size < BATCH) {
      ToGuest message = queue.remove();
      control -= bulk(message) ? 0 : 1;
      size += message.getSerializedSize();
      batch.add(message);
    }
    writing = !batch.isEmpty();
    return batch;
  }

  private synchronized void stop() {
    dead = true;
    queue.clear();
  }

  private static boolean bulk(ToGuest message) {
    return message.hasStdin();
  }

  /** {@code Ping{token: 5}} becomes {@code 00 00 00 04 3a 02 08 05}. */
  static ByteBuffer encode(List<ToGuest> messages) throws IOException {
    int size = 0;
    for (ToGuest message : messages) {
      size += 4 + message.getSerializedSize();
    }
    ByteBuffer out = ByteBuffer.allocate(size);
    for (ToGuest message : messages) {
      int length = message.getSerializedSize();
      out.putInt(length);
      CodedOutputStream coded = CodedOutputStream.newInstance(out.array(), out.position(), length);
      message.writeTo(coded);
      coded.flush();
      out.position(out.position() + length);
    }
    return out.flip();
  }
}
