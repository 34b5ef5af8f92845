// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import java.nio.ByteBuffer;

/**
 * How far one stream of an exec is recorded. Bytes that may begin a secret, or that begin a
 * character, wait here for those that follow: at most the longest secret and three bytes.
 */
final class StreamHead {
  private static final byte[] NONE = {};

  /** End of what has been recorded or told by a gap. */
  private long told;

  /** End of what has been seen. */
  private long seen;

  private byte[] held = NONE;
  private boolean full;

  /** Bytes to record, masked, and what they stand for in the stream. */
  record Chunk(long offset, SecretMask.Masked text) {
    boolean isEmpty() {
      return text.to() == text.from();
    }
  }

  long told() {
    return told;
  }

  /** Bytes seen that are neither recorded nor told. */
  long untold() {
    return seen - told;
  }

  boolean full() {
    return full;
  }

  void see(long end) {
    seen = Math.max(seen, end);
  }

  /** Where the next new byte belongs. */
  long next() {
    return told + held.length;
  }

  /** A gap has told of everything before this offset. */
  void jump(long offset) {
    told = offset;
    see(offset);
    held = NONE;
  }

  /**
   * What can be recorded now that {@code data}, which belongs at {@link #next}, is there. Nothing
   * changes until {@link #recorded}.
   */
  Chunk chunk(byte[] data, SecretMask mask, boolean last) {
    SecretMask.Masked masked = mask.bytes(data, 0, data.length, last);
    int cut = last ? 0 : Utf8.cutOff(masked.bytes(), masked.from(), masked.to());
    if (cut > 0) {
      masked =
          new SecretMask.Masked(
              masked.bytes(),
              masked.from(),
              masked.to() - cut,
              masked.consumed() - cut,
              masked.hits());
    }
    return new Chunk(told, masked);
  }

  /** Held and new bytes together, cut where the stream's head is full. */
  byte[] join(ByteBuffer data, long limit) {
    int take = Math.clamp(limit - next(), 0, data.remaining());
    full = take < data.remaining();
    byte[] all = new byte[held.length + take];
    System.arraycopy(held, 0, all, 0, held.length);
    data.get(data.position(), all, held.length, take);
    return all;
  }

  byte[] held() {
    return held;
  }

  void recorded(Chunk chunk, byte[] all) {
    int consumed = chunk.text.consumed();
    told += consumed;
    held = full || consumed == all.length ? NONE : copyFrom(all, consumed);
  }

  /**
   * The chunk could not be kept: a gap will tell.
   *
   * @param forGood nothing further of this stream will be kept either
   */
  void dropped(boolean forGood) {
    held = NONE;
    full |= forGood;
  }

  /** Sets the state found in a file. */
  void resume(long end, boolean isFull) {
    told = end;
    seen = Math.max(seen, end);
    full = isFull;
  }

  private static byte[] copyFrom(byte[] all, int from) {
    byte[] rest = new byte[all.length - from];
    System.arraycopy(all, from, rest, 0, rest.length);
    return rest;
  }
}
