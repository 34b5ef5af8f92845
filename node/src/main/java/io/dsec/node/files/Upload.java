// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.files;

import io.dsec.model.Bytes;
import io.dsec.node.exec.AppletStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Content on its way to the file applet, in pieces, as fast as it is taken. */
final class Upload {
  private static final int PIECE = 256 << 10;
  private static final int HEADER = 4;

  private Upload() {}

  /**
   * False when the applet takes no more: it has said why. An error of {@code content} is thrown.
   */
  static boolean send(AppletStream applet, byte[] head, InputStream content) throws IOException {
    if (head.length > 0
        && !piece(applet, ByteBuffer.allocate(HEADER + head.length).put(HEADER, head).array())) {
      return false;
    }
    byte[] buffer = new byte[HEADER + PIECE];
    for (int n = content.read(buffer, HEADER, PIECE);
        n >= 0;
        n = content.read(buffer, HEADER, PIECE)) {
      if (n > 0 && !piece(applet, Arrays.copyOf(buffer, HEADER + n))) {
        return false;
      }
    }
    return piece(applet, new byte[HEADER]);
  }

  private static boolean piece(AppletStream applet, byte[] piece) {
    ByteBuffer.wrap(piece).putInt(piece.length - HEADER);
    try {
      applet.send(Bytes.wrap(piece));
      return true;
    } catch (IOException _) {
      return false;
    }
  }
}
