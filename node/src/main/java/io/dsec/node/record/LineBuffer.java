// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;

/**
 * Bytes of JSON lines under construction. Besides what JSON demands, the characters that Unicode
 * counts as line ends (U+0085, U+2028, U+2029) and lone surrogates are escaped, so every line is
 * one line to every reader and always valid UTF-8.
 */
final class LineBuffer {
  private static final int INITIAL = 4 << 10;
  private static final int MAX = 32 << 20;
  private static final byte[] HEX = "0123456789abcdef".getBytes(StandardCharsets.US_ASCII);

  /** 0: as it is; 'u': as {@code \\u00XX}; else the letter after the backslash. */
  private static final byte[] ESCAPES = new byte[128];

  static {
    Arrays.fill(ESCAPES, 0, 32, (byte) 'u');
    ESCAPES['\n'] = 'n';
    ESCAPES['\r'] = 'r';
    ESCAPES['\t'] = 't';
    ESCAPES['\b'] = 'b';
    ESCAPES['\f'] = 'f';
    ESCAPES['"'] = '"';
    ESCAPES['\\'] = '\\';
  }

  private byte[] bytes = new byte[INITIAL];
  private int length;

  int length() {
    return length;
  }

  int capacity() {
    return bytes.length;
  }

  byte[] array() {
    return bytes;
  }

  void truncate(int newLength) {
    length = newLength;
  }

  void append(LineBuffer other) {
    append(other.bytes, 0, other.length);
  }

  void append(byte[] from, int start, int end) {
    ensure(end - start);
    System.arraycopy(from, start, bytes, length, end - start);
    length += end - start;
  }

  /** ASCII that needs no escape. */
  void raw(String ascii) {
    int n = ascii.length();
    ensure(n);
    for (int i = 0; i < n; i++) {
      bytes[length++] = (byte) ascii.charAt(i);
    }
  }

  void raw(char ascii) {
    ensure(1);
    bytes[length++] = (byte) ascii;
  }

  void number(long value) {
    if (value < 0) {
      raw(Long.toString(value));
      return;
    }
    int digits = 1;
    for (long rest = value; rest >= 10; rest /= 10) {
      digits++;
    }
    ensure(digits);
    long rest = value;
    for (int i = length + digits - 1; i >= length; i--) {
      bytes[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    length += digits;
  }

  /** Exactly {@code digits} digits of a value that is not negative. */
  void padded(long value, int digits) {
    ensure(digits);
    long rest = value;
    for (int i = length + digits - 1; i >= length; i--) {
      bytes[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    length += digits;
  }

  void string(String text) {
    int n = text.length();
    ensure(n + 2);
    bytes[length++] = '"';
    for (int i = 0; i < n; i++) {
      char c = text.charAt(i);
      if (c < 128) {
        ascii(c);
      } else {
        i += wide(text, i, c);
      }
    }
    raw('"');
  }

  /**
   * The bytes as a string when they are UTF-8, else {@code {"base64": "…"}}.
   *
   * @return whether they were text
   */
  boolean bytes(byte[] data, int from, int to) {
    int start = length;
    ensure(to - from + 2);
    bytes[length++] = '"';
    int at = from;
    while (at < to) {
      int plain = plain(data, at, to);
      append(data, at, plain);
      at = plain;
      if (at == to) {
        break;
      }
      int b = data[at];
      if (b >= 0) {
        ascii(b);
        at++;
        continue;
      }
      int size = Utf8.sequence(data, at, to);
      if (size <= 0) {
        length = start;
        base64(data, from, to);
        return false;
      }
      if (Utf8.isLineEnd(data, at, size)) {
        escape(Utf8.lineEnd(data, at));
      } else {
        append(data, at, at + size);
      }
      at += size;
    }
    raw('"');
    return true;
  }

  /** End of the run of bytes that stand for themselves. */
  private static int plain(byte[] data, int from, int to) {
    int at = from;
    while (at < to && data[at] >= 0 && ESCAPES[data[at]] == 0) {
      at++;
    }
    return at;
  }

  private void base64(byte[] data, int from, int to) {
    raw("{\"base64\":\"");
    byte[] coded = Base64.getEncoder().encode(Arrays.copyOfRange(data, from, to));
    append(coded, 0, coded.length);
    raw("\"}");
  }

  private void ascii(int c) {
    ensure(6);
    byte escape = ESCAPES[c];
    if (escape == 0) {
      bytes[length++] = (byte) c;
    } else if (escape == 'u') {
      escape((char) c);
    } else {
      bytes[length++] = '\\';
      bytes[length++] = escape;
    }
  }

  /** Writes a character above ASCII; returns how many further chars of the text it used. */
  private int wide(String text, int at, char c) {
    if (c == 0x85 || c == 0x2028 || c == 0x2029) {
      escape(c);
      return 0;
    }
    ensure(4);
    if (c < 0x800) {
      bytes[length++] = (byte) (0xC0 | (c >> 6));
      bytes[length++] = continuation(c);
      return 0;
    }
    if (!Character.isSurrogate(c)) {
      bytes[length++] = (byte) (0xE0 | (c >> 12));
      bytes[length++] = continuation(c >> 6);
      bytes[length++] = continuation(c);
      return 0;
    }
    int next = at + 1;
    if (Character.isHighSurrogate(c)
        && next < text.length()
        && Character.isLowSurrogate(text.charAt(next))) {
      int point = Character.toCodePoint(c, text.charAt(next));
      bytes[length++] = (byte) (0xF0 | (point >> 18));
      bytes[length++] = continuation(point >> 12);
      bytes[length++] = continuation(point >> 6);
      bytes[length++] = continuation(point);
      return 1;
    }
    escape(c);
    return 0;
  }

  private static byte continuation(int bits) {
    return (byte) (0x80 | (bits & 0x3F));
  }

  private void escape(char c) {
    ensure(6);
    bytes[length++] = '\\';
    bytes[length++] = 'u';
    bytes[length++] = HEX[c >> 12];
    bytes[length++] = HEX[(c >> 8) & 15];
    bytes[length++] = HEX[(c >> 4) & 15];
    bytes[length++] = HEX[c & 15];
  }

  private void ensure(int more) {
    long need = (long) length + more;
    if (need <= bytes.length) {
      return;
    }
    if (need > MAX) {
      throw new IllegalStateException("an event of more than %d bytes".formatted(MAX));
    }
    bytes = Arrays.copyOf(bytes, (int) Math.min(MAX, Math.max(need, bytes.length * 2L)));
  }
}
