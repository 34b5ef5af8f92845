// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.link.ExecListener.Stream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Reads the frequent line of an exec stream, {@code {"stdout": "BASE64", "offset": N}}, without a
 * JSON parser: a program can write a gigabyte. Any other shape is left to the general parser.
 */
final class OutputLine {
  private static final byte[] STDOUT = ascii("{\"stdout\":");
  private static final byte[] STDERR = ascii("{\"stderr\":");
  private static final byte[] OFFSET = ascii("\"offset\":");

  private ByteBuffer data = ByteBuffer.allocate(0);
  private long offset;

  /** The stream that the line belongs to, or null when it has another shape. */
  @Nullable Stream parse(byte[] line, int start, int end) {
    Stream stream =
        starts(line, start, end, STDOUT)
            ? Stream.STDOUT
            : starts(line, start, end, STDERR) ? Stream.STDERR : null;
    if (stream == null) {
      return null;
    }
    int open = skipSpaces(line, start + STDOUT.length, end);
    int close = closingQuote(line, open, end);
    if (open >= end || line[open] != '"' || close < 0) {
      return null;
    }
    data = Base64.getDecoder().decode(ByteBuffer.wrap(line, open + 1, close - open - 1));
    return stream;
  }

  /** What the last line carried; valid until the next one. */
  ByteBuffer data() {
    return data;
  }

  long offset() {
    return offset;
  }

  /** Walks back from the end over {@code , "offset": N}}; -1 when that is not what stands there. */
  private int closingQuote(byte[] line, int open, int end) {
    int at = end - 1;
    while (at > open && (line[at] == '\r' || line[at] == ' ')) {
      at--;
    }
    if (at <= open || line[at] != '}') {
      return -1;
    }
    int digitsEnd = at;
    while (at > open && line[at - 1] >= '0' && line[at - 1] <= '9') {
      at--;
    }
    if (at == digitsEnd || digitsEnd - at > 18) {
      return -1;
    }
    offset = Long.parseLong(new String(line, at, digitsEnd - at, StandardCharsets.US_ASCII));
    at = skipSpacesBack(line, at, open) - OFFSET.length;
    if (at <= open || !starts(line, at, end, OFFSET)) {
      return -1;
    }
    at = skipSpacesBack(line, at, open) - 1;
    if (at <= open || line[at] != ',') {
      return -1;
    }
    at = skipSpacesBack(line, at, open) - 1;
    return at > open && line[at] == '"' ? at : -1;
  }

  private static int skipSpaces(byte[] line, int at, int end) {
    int i = at;
    while (i < end && line[i] == ' ') {
      i++;
    }
    return i;
  }

  private static int skipSpacesBack(byte[] line, int at, int floor) {
    int i = at;
    while (i > floor && line[i - 1] == ' ') {
      i--;
    }
    return i;
  }

  private static boolean starts(byte[] line, int at, int end, byte[] prefix) {
    return end - at >= prefix.length
        && Arrays.equals(line, at, at + prefix.length, prefix, 0, prefix.length);
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
