// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.port;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;

/** Bodies on a connection that is used for one request. */
public final class HttpBody {
  private static final int PIECE = 64 << 10;
  private static final int CHUNK_LINE = 1024;

  private HttpBody() {}

  /** What a reply's body is, in bytes, if it says so. */
  public static OptionalLong length(HttpHead reply) {
    String text = reply.first("content-length").orElse("");
    if (text.isEmpty() || chunked(reply)) {
      return OptionalLong.empty();
    }
    if (!text.matches("[0-9]{1,18}")) {
      throw HttpHead.broken("its Content-Length is \"%s\"".formatted(text));
    }
    return OptionalLong.of(Long.parseLong(text));
  }

  private static boolean chunked(HttpHead reply) {
    return reply.first("transfer-encoding").filter(e -> e.equalsIgnoreCase("chunked")).isPresent();
  }

  /** The body of a reply that has one: chunked, of a length, or up to the end of the connection. */
  public static InputStream of(HttpHead reply, InputStream in) {
    OptionalLong length = length(reply);
    if (length.isPresent()) {
      return new Pieces(in, length.getAsLong(), false);
    }
    return chunked(reply) ? new Pieces(in, 0, true) : in;
  }

  /** Copies as it comes, each piece at once. */
  public static void copy(InputStream from, OutputStream to) throws IOException {
    byte[] piece = new byte[PIECE];
    for (int n = from.read(piece); n >= 0; n = from.read(piece)) {
      to.write(piece, 0, n);
      to.flush();
    }
  }

  public static void copyChunked(InputStream from, OutputStream to) throws IOException {
    byte[] piece = new byte[PIECE];
    for (int n = from.read(piece); n >= 0; n = from.read(piece)) {
      if (n > 0) {
        to.write((Integer.toHexString(n) + "\r\n").getBytes(StandardCharsets.US_ASCII));
        to.write(piece, 0, n);
        to.write(new byte[] {'\r', '\n'});
        to.flush();
      }
    }
    to.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    to.flush();
  }

  /** One that ends early is an error, never a shorter body. */
  private static final class Pieces extends InputStream {
    private final InputStream in;
    private final boolean chunked;
    private long left;
    private boolean begun;
    private boolean over;

    Pieces(InputStream in, long left, boolean chunked) {
      this.in = in;
      this.left = left;
      this.chunked = chunked;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int from, int count) throws IOException {
      if (left == 0 && !over) {
        over = !chunked || !nextChunk();
      }
      if (over) {
        return -1;
      }
      int n = in.read(into, from, (int) Math.min(count, left));
      if (n < 0) {
        throw new EOFException("the server inside broke off in the middle of its reply");
      }
      left -= n;
      return n;
    }

    /** False at the last one, whose trailers are dropped. */
    private boolean nextChunk() throws IOException {
      if (begun) {
        HttpHead.line(in, 2);
      }
      begun = true;
      String size = HttpHead.line(in, CHUNK_LINE);
      int extension = size.indexOf(';');
      String digits = (extension < 0 ? size : size.substring(0, extension)).strip();
      if (!digits.matches("[0-9A-Fa-f]{1,15}")) {
        throw HttpHead.broken("the size of a chunk is \"%s\"".formatted(digits));
      }
      left = Long.parseLong(digits, 16);
      return left > 0;
    }
  }
}
