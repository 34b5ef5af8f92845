// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

/** The shape of UTF-8 sequences (RFC 3629: no overlong forms, no surrogates, up to U+10FFFF). */
final class Utf8 {
  private Utf8() {}

  /** Bytes of the sequence that starts here; 0 when it is cut off by the end; -1 when invalid. */
  static int sequence(byte[] data, int at, int end) {
    int lead = data[at] & 0xFF;
    if (lead < 0x80) {
      return 1;
    }
    if (lead < 0xC2 || lead > 0xF4) {
      return -1;
    }
    int size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    for (int i = 1; i < size; i++) {
      if (at + i >= end) {
        return 0;
      }
      int next = data[at + i] & 0xFF;
      if (next < low(lead, i) || next > high(lead, i)) {
        return -1;
      }
    }
    return size;
  }

  /** Bytes at the end that begin a character without completing it: 0 to 3. */
  static int cutOff(byte[] data, int from, int to) {
    for (int back = 1; back <= 3 && to - back >= from; back++) {
      int b = data[to - back] & 0xFF;
      if (b >= 0xC0) {
        return sequence(data, to - back, to) == 0 ? back : 0;
      }
      if (b < 0x80) {
        return 0;
      }
    }
    return 0;
  }

  /** U+0085, U+2028 or U+2029. */
  static boolean isLineEnd(byte[] data, int at, int size) {
    return (size == 2 && data[at] == (byte) 0xC2 && data[at + 1] == (byte) 0x85)
        || (size == 3
            && data[at] == (byte) 0xE2
            && data[at + 1] == (byte) 0x80
            && (data[at + 2] == (byte) 0xA8 || data[at + 2] == (byte) 0xA9));
  }

  static char lineEnd(byte[] data, int at) {
    return data[at] == (byte) 0xC2 ? (char) 0x85 : (char) (0x2000 | (data[at + 2] & 0x3F));
  }

  private static int low(int lead, int index) {
    if (index > 1) {
      return 0x80;
    }
    return lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  }

  private static int high(int lead, int index) {
    if (index > 1) {
      return 0xBF;
    }
    return lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  }
}
