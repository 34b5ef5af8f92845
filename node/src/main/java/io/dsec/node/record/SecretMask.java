// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

/**
 * Replaces each occurrence of a secret by {@code ***}, leftmost and longest first, whatever the
 * boundaries between reads. Values of fewer than four bytes are not masked: they occur by chance in
 * ordinary output, and masking them would show where they are.
 */
final class SecretMask {
  static final int MIN_BYTES = 4;
  static final SecretMask NONE = new SecretMask(List.of());
  private static final String TEXT = "***";
  private static final byte[] STARS = TEXT.getBytes(StandardCharsets.US_ASCII);

  private final String[] texts;
  private final byte[][] values;
  private final boolean[] first = new boolean[256];

  private SecretMask(List<String> secrets) {
    texts = secrets.toArray(String[]::new);
    values = new byte[texts.length][];
    for (int i = 0; i < texts.length; i++) {
      values[i] = texts[i].getBytes(StandardCharsets.UTF_8);
      first[values[i][0] & 0xFF] = true;
    }
  }

  static SecretMask of(Collection<String> secrets) {
    List<String> long_ =
        secrets.stream()
            .filter(Objects::nonNull)
            .filter(s -> s.getBytes(StandardCharsets.UTF_8).length >= MIN_BYTES)
            .distinct()
            .sorted(Comparator.comparingInt(String::length).reversed())
            .toList();
    return long_.isEmpty() ? NONE : new SecretMask(long_);
  }

  /**
   * What may be written of some bytes.
   *
   * @param bytes holds the masked form in {@code from..to}
   * @param consumed raw bytes that this stands for; the rest may begin a secret
   */
  @SuppressWarnings("ArrayRecordComponent") // a view for one call; never compared or kept
  record Masked(byte[] bytes, int from, int to, int consumed, int hits) {}

  /**
   * @param last no more bytes will follow, so nothing is held back
   */
  Masked bytes(byte[] data, int from, int to, boolean last) {
    if (texts.length == 0) {
      return new Masked(data, from, to, to - from, 0);
    }
    LineBuffer out = null;
    int copied = from;
    int hits = 0;
    int at = from;
    while (at < to) {
      if (!first[data[at] & 0xFF]) {
        at++;
        continue;
      }
      int match = match(data, at, to, last);
      if (match == HOLD) {
        break;
      }
      if (match == 0) {
        at++;
        continue;
      }
      out = out == null ? new LineBuffer() : out;
      out.append(data, copied, at);
      out.append(STARS, 0, STARS.length);
      hits++;
      at += match;
      copied = at;
    }
    if (out == null) {
      return new Masked(data, from, at, at - from, 0);
    }
    out.append(data, copied, at);
    return new Masked(out.array(), 0, out.length(), at - from, hits);
  }

  private static final int HOLD = -1;

  /** Length of the secret here; 0 when there is none; HOLD when more bytes must tell. */
  private int match(byte[] data, int at, int to, boolean last) {
    int left = to - at;
    int found = 0;
    for (byte[] value : values) {
      int n = Math.min(left, value.length);
      int i = 0;
      while (i < n && data[at + i] == value[i]) {
        i++;
      }
      if (i == value.length) {
        found = Math.max(found, i);
      } else if (i == left && !last) {
        return HOLD;
      }
    }
    return found;
  }

  String text(String text) {
    for (String secret : texts) {
      if (text.contains(secret)) {
        return replaced(text);
      }
    }
    return text;
  }

  private String replaced(String text) {
    StringBuilder out = new StringBuilder(text.length());
    int at = 0;
    while (at < text.length()) {
      String found = null;
      for (String secret : texts) {
        if (text.startsWith(secret, at)) {
          found = secret;
          break;
        }
      }
      if (found == null) {
        out.append(text.charAt(at++));
      } else {
        out.append(TEXT);
        at += found.length();
      }
    }
    return out.toString();
  }
}
