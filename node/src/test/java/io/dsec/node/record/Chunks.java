// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import java.nio.charset.StandardCharsets;
import java.util.Random;

/** Random streams, cut at random places. */
final class Chunks {
  private Chunks() {}

  /** Text full of secrets, parts of secrets and characters of every width. */
  static byte[] text(Random random, String[] secrets) {
    StringBuilder out = new StringBuilder();
    for (int i = random.nextInt(60); i > 0; i--) {
      String secret = secrets[random.nextInt(secrets.length)];
      switch (random.nextInt(5)) {
        case 0 -> out.append(secret);
        case 1 -> out.append(secret, 0, random.nextInt(secret.length()));
        case 2 -> out.append(secret, random.nextInt(secret.length()), secret.length());
        case 3 -> out.append("é界\ud83d\ude00\u2028\u0000\r\n");
        default -> out.append((char) ('a' + random.nextInt(6)));
      }
    }
    return out.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Bytes without secrets, half of them not UTF-8. */
  static byte[] noise(Random random) {
    byte[] bytes = new byte[random.nextInt(300)];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (random.nextBoolean() ? random.nextInt(256) : '0');
      if (bytes[i] == 'b' || bytes[i] == 'a') {
        bytes[i] = '1';
      }
    }
    return bytes;
  }

  /** Sends the stream in order, some of it twice. */
  static void record(Random random, Recorder recorder, String kind, String exec, byte[] raw) {
    int at = 0;
    while (at < raw.length) {
      int length = Math.min(raw.length - at, 1 + random.nextInt(random.nextBoolean() ? 3 : 50));
      int again = random.nextInt(4) == 0 ? random.nextInt(at + 1) : 0;
      recorder.bytes(kind, exec, at - again, Trajectories.slice(raw, at - again, again + length));
      at += length;
    }
  }

  /** Leftmost, then longest: the plain definition of masking. */
  static byte[] masked(byte[] raw, String[] secrets) {
    String text = new String(raw, StandardCharsets.UTF_8);
    StringBuilder out = new StringBuilder();
    int at = 0;
    while (at < text.length()) {
      int longest = 0;
      for (String secret : secrets) {
        if (text.startsWith(secret, at)) {
          longest = Math.max(longest, secret.length());
        }
      }
      if (longest > 0) {
        out.append("***");
      } else {
        out.append(text.charAt(at));
      }
      at += Math.max(1, longest);
    }
    return out.toString().getBytes(StandardCharsets.UTF_8);
  }
}
