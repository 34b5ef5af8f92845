// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Lines of a stream, found eight bytes at a time and handed out in place: {@link #buffer()} from
 * {@link #start()} to {@link #end()} until the next call.
 */
final class LineReader {
  static final int MAX_LINE = 64 << 20;
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long ONES = 0x0101010101010101L;
  private static final long HIGH = 0x8080808080808080L;
  private static final long NEWLINES = ONES * '\n';

  private final InputStream in;
  private byte[] buffer = new byte[128 << 10];
  private int start;
  private int end;
  private int next;
  private int filled;

  LineReader(InputStream in) {
    this.in = in;
  }

  byte[] buffer() {
    return buffer;
  }

  int start() {
    return start;
  }

  /** One past the last byte; the newline does not belong to the line. */
  int end() {
    return end;
  }

  String text() {
    return new String(buffer, start, end - start, StandardCharsets.UTF_8);
  }

  /** False at the end of the stream. A last line without a newline counts. */
  boolean next() throws IOException {
    start = next;
    int from = next;
    while (true) {
      int at = newline(buffer, from, filled);
      if (at >= 0) {
        end = at;
        next = at + 1;
        return true;
      }
      from = filled;
      int moved = room();
      from -= moved;
      int count = in.read(buffer, filled, buffer.length - filled);
      if (count < 0) {
        end = filled;
        next = filled;
        return end > start;
      }
      filled += count;
    }
  }

  /** Makes space behind what was read; tells by how much the present line moved to the front. */
  private int room() throws IOException {
    int moved = start;
    if (start > 0 && (start == filled || buffer.length - filled < buffer.length / 4)) {
      System.arraycopy(buffer, start, buffer, 0, filled - start);
      filled -= start;
      start = 0;
    } else {
      moved = 0;
    }
    if (filled == buffer.length) {
      if (buffer.length >= MAX_LINE) {
        throw new IOException("a line of the reply is longer than " + MAX_LINE + " bytes");
      }
      buffer = Arrays.copyOf(buffer, buffer.length * 2);
    }
    return moved;
  }

  private static int newline(byte[] bytes, int from, int to) {
    int i = from;
    for (; i + 8 <= to; i += 8) {
      long x = (long) LONGS.get(bytes, i) ^ NEWLINES;
      long hit = (x - ONES) & ~x & HIGH;
      if (hit != 0) {
        return i + (Long.numberOfTrailingZeros(hit) >>> 3);
      }
    }
    for (; i < to; i++) {
      if (bytes[i] == '\n') {
        return i;
      }
    }
    return -1;
  }
}
