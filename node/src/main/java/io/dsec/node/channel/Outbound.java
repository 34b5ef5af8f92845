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
 * Frames waiting to be written to one connection, by a caller that flushes or by a thread that
 * exists only while there are some, so an idle channel costs none. Messages are encoded when they
 * are written: bulk data wait as references.
 *
 * <p>A guest that does not read while the node has {@value #MAX_QUEUED} messages for it is in
 * breach (chunks of stdin do not count: they are bounded by its credit).
 */
final class Outbound {
  static final int MAX_QUEUED = 16_384;
  private static final int BATCH = 64 << 10;

  /** Messages without hurry are written once so many wait. */
  private static final int POSTED = 8;

  /**
   * For so many writes and bytes since the guest was last heard of its socket has room, whether it
   * reads or not: the kernel counts about a kilobyte more for each write, and allows 208.
   */
  private static final int SURE_WRITES = 64;

  private static final int SURE_BYTES = 64 << 10;

  private final WritableByteChannel channel;
  private final Runnable failed;
  private final ArrayDeque<ToGuest> queue = new ArrayDeque<>(4);
  private int control;
  private boolean writing;
  private boolean dead;

  private volatile boolean heard;
  private int writesUnheard; // of the thread that writes
  private int bytesUnheard;

  Outbound(WritableByteChannel channel, Runnable failed) {
    this.channel = channel;
    this.failed = failed;
  }

  synchronized void send(ToGuest message) {
    add(message);
    startWriter();
  }

  /** Queues a message that may wait for others. */
  synchronized void post(ToGuest message) {
    add(message);
    if (queue.size() >= POSTED) {
      startWriter();
    }
  }

  private void add(ToGuest message) {
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
  }

  private void startWriter() {
    if (!writing && !queue.isEmpty()) {
      writing = true;
      Thread.ofVirtual().name("guest-writer").start(this::drain);
    }
  }

  /** The guest has said something, so it reads, too. */
  void heard() {
    heard = true;
  }

  /**
   * Writes one batch on this thread, unless somebody writes, or it could block; what was queued
   * meanwhile, perhaps by others, is not left to it.
   */
  void flush() {
    synchronized (this) {
      if (writing || queue.isEmpty()) {
        return;
      }
      if (Thread.currentThread().isInterrupted() || !hasRoom()) {
        startWriter();
        return;
      }
      writing = true;
    }
    boolean sound = writeBatch();
    synchronized (this) {
      if (sound) {
        writing = false;
        startWriter();
      }
    }
  }

  /** While nobody writes. */
  private boolean hasRoom() {
    if (heard) {
      heard = false;
      writesUnheard = 0;
      bytesUnheard = 0;
    }
    long size = bytesUnheard;
    for (ToGuest message : queue) {
      size += message.getSerializedSize();
    }
    return writesUnheard < SURE_WRITES && size <= SURE_BYTES;
  }

  private void drain() {
    while (writeBatch()) {}
  }

  /** False when there is nothing to write (any more). */
  private boolean writeBatch() {
    List<ToGuest> batch = take();
    if (batch.isEmpty()) {
      return false;
    }
    try {
      ByteBuffer bytes = encode(batch);
      writesUnheard++;
      bytesUnheard = Math.min(SURE_BYTES, bytesUnheard) + bytes.remaining();
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
      return true;
    } catch (IOException e) {
      stop();
      failed.run();
      return false;
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
