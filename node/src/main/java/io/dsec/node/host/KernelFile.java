// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.host;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/** Text of files below /proc and /sys. */
public final class KernelFile {
  private static final int PAGE = 1 << 16;

  private KernelFile() {}

  /**
   * Reads with one large buffer: files below /proc/sys give the first read what it has room for and
   * the second nothing, so {@link Files#readString}, which begins with a single byte, gets one
   * digit.
   */
  public static String read(Path path) throws IOException {
    try (InputStream in = Files.newInputStream(path)) {
      byte[] text = new byte[PAGE];
      int length = 0;
      for (int got = 0; got >= 0; got = in.read(text, length, text.length - length)) {
        length += got;
        if (length == text.length) {
          text = Arrays.copyOf(text, 2 * length);
        }
      }
      return new String(text, 0, length, StandardCharsets.UTF_8);
    }
  }
}
