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
    int count = PIECE;
    while (count == PIECE) {
      byte[] buffer = new byte[HEADER + PIECE];
      count = content.readNBytes(buffer, HEADER, PIECE); // a connection brings far less at once
      if (count > 0
          && !piece(applet, count == PIECE ? buffer : Arrays.copyOf(buffer, HEADER + count))) {
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
