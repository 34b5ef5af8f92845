// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Records of an exec stream, as docs/api.md describes them. */
final class Records {
  private Records() {}

  static byte[] of(int kind, int stream, long offset, byte[] body) {
    return ByteBuffer.allocate(16 + body.length)
        .put((byte) kind)
        .put((byte) stream)
        .putShort((short) 0)
        .putInt(body.length)
        .putLong(offset)
        .put(body)
        .array();
  }

  static byte[] output(int stream, long offset, byte[] data) {
    return of(2, stream, offset, data);
  }

  static byte[] json(int kind, String text) {
    return of(kind, 0, 0, text.getBytes(StandardCharsets.UTF_8));
  }

  static byte[] joined(byte[]... records) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] record : records) {
      out.writeBytes(record);
    }
    return out.toByteArray();
  }
}
