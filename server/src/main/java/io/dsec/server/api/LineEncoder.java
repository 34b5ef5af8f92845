// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.ExecListener;
import io.dsec.link.Json;
import io.dsec.server.exec.ExecReply;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import tools.jackson.core.StreamWriteFeature;
import tools.jackson.databind.ObjectWriter;

/**
 * The NDJSON form: {@code {"stdout":"<base64>","offset":N}} lines between a start and an end.
 *
 * <p>Built for throughput: a piece is copied once into a fixed array (the JDK's vectorised encoder
 * takes whole arrays), encoded, and put with its braces into one reused buffer that is written in
 * one go. No object is made per line unless the piece is short of {@link #PIECE}.
 */
final class LineEncoder implements ExecEncoder {
  /** A multiple of 3, so that only the last line of a call has padding; 128 KiB once encoded. */
  static final int PIECE = 96 << 10;

  static final byte[] HEARTBEAT = ascii("{\"heartbeat\":{}}\n");
  private static final byte[] STDOUT = ascii("{\"stdout\":\"");
  private static final byte[] STDERR = ascii("{\"stderr\":\"");
  private static final byte[] OFFSET = ascii("\",\"offset\":");
  private static final byte[] END = ascii("}\n");
  private static final int FRAME = 64;

  private static final ObjectWriter JSON =
      Json.mapper().writer().without(StreamWriteFeature.AUTO_CLOSE_TARGET);

  private final OutputStream out;

  /** Made for the first output: many execs have none. */
  private byte[] piece = {};

  private byte[] encoded = {};
  private byte[] line = {};

  LineEncoder(OutputStream out) {
    this.out = out;
  }

  @Override
  public void start(String id) throws IOException {
    line(Map.of("start", Map.of("id", id)));
  }

  @Override
  public void heartbeat() throws IOException {
    out.write(HEARTBEAT);
    out.flush();
  }

  @Override
  public void end(ExecReply reply) throws IOException {
    if (reply.isLarge()) {
      JSON.writeValue(out, Map.of("end", reply)); // never held as a whole
      out.write('\n');
      out.flush();
    } else {
      line(Map.of("end", reply));
    }
  }

  @Override
  public void close() throws IOException {
    out.close();
  }

  private void line(Object value) throws IOException {
    out.write(Json.mapper().writeValueAsBytes(value));
    out.write('\n');
    out.flush();
  }

  @Override
  public void output(ExecListener.Stream stream, long offset, ByteBuffer data) throws IOException {
    if (piece.length == 0) {
      piece = new byte[PIECE];
      encoded = new byte[PIECE / 3 * 4];
      line = new byte[PIECE / 3 * 4 + FRAME];
    }
    long at = offset;
    while (data.hasRemaining()) {
      int length = Math.min(PIECE, data.remaining());
      byte[] source = length == PIECE ? piece : new byte[length];
      data.get(source);
      int text = Base64.getEncoder().encode(source, encoded);
      int end = put(stream == ExecListener.Stream.STDOUT ? STDOUT : STDERR, 0);
      System.arraycopy(encoded, 0, line, end, text);
      end = put(OFFSET, end + text);
      end = decimal(at, end);
      end = put(END, end);
      out.write(line, 0, end);
      at += length;
    }
    out.flush();
  }

  private int put(byte[] bytes, int at) {
    System.arraycopy(bytes, 0, line, at, bytes.length);
    return at + bytes.length;
  }

  private int decimal(long value, int at) {
    int digits = 1;
    for (long rest = value; rest >= 10; rest /= 10) {
      digits++;
    }
    long rest = value;
    for (int i = at + digits - 1; i >= at; i--) {
      line[i] = (byte) ('0' + rest % 10);
      rest /= 10;
    }
    return at + digits;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
