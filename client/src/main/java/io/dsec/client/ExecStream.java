// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.link.ExecListener;
import io.dsec.link.ExecListener.Stream;
import io.dsec.model.ExecResult;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import tools.jackson.databind.JsonNode;

/**
 * Follows the records of one streaming exec to its end: each a header of {@value #HEADER} bytes
 * (kind, stream, two zeros, length of the body, offset) and its body. Output is handed on as it
 * comes, also a part of a record, so memory does not depend on the records' size.
 */
final class ExecStream {
  static final String TYPE = "application/vnd.dsec.exec";
  static final int HEADER = 16;

  private static final int START = 1;
  private static final int OUTPUT = 2;
  private static final int HEARTBEAT = 3;
  private static final int END = 4;
  private static final Stream[] STREAMS = {Stream.STDOUT, Stream.STDERR};

  private static final int BUFFER = 256 << 10;

  private final InputStream in;
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER).limit(0);

  private ExecStream(InputStream in) {
    this.in = in;
  }

  /** Tells {@code listener} of each piece; the result has no output in it. */
  static ExecResult follow(InputStream in, ExecListener listener) throws IOException {
    return new ExecStream(in).follow(listener);
  }

  private ExecResult follow(ExecListener listener) throws IOException {
    for (; ; ) {
      need(HEADER);
      int kind = buffer.get();
      int stream = buffer.get();
      int zeros = buffer.getShort();
      long length = Integer.toUnsignedLong(buffer.getInt());
      long offset = buffer.getLong();
      if (zeros != 0 || stream < 0 || stream > 1 || offset < 0) {
        throw broken("a header is none");
      }
      switch (kind) {
        case START -> listener.started(json(length).path("id").asString(""));
        case OUTPUT -> output(STREAMS[stream], offset, length, listener);
        case HEARTBEAT -> body(length);
        case END -> {
          return ExecWire.result(json(length));
        }
        default -> throw broken("no record is of kind " + kind);
      }
    }
  }

  private void output(Stream stream, long offset, long length, ExecListener listener)
      throws IOException {
    for (long at = 0; at < length; ) {
      need(1);
      int n = (int) Math.min(length - at, buffer.remaining());
      listener.output(stream, offset + at, buffer.slice(buffer.position(), n));
      buffer.position(buffer.position() + n);
      at += n;
    }
  }

  private JsonNode json(long length) throws IOException {
    return Replies.mapper().readTree(body(length));
  }

  /** All of a small body. */
  private byte[] body(long length) throws IOException {
    if (length > BUFFER) {
      throw broken("a record that is no output is %d bytes long".formatted(length));
    }
    need((int) length);
    byte[] body = new byte[(int) length];
    buffer.get(body);
    return body;
  }

  /** Reads until the buffer holds {@code count} bytes. */
  private void need(int count) throws IOException {
    if (buffer.remaining() >= count) {
      return;
    }
    buffer.compact();
    while (buffer.position() < count) {
      int n = in.read(buffer.array(), buffer.position(), buffer.remaining());
      if (n < 0) {
        throw new EOFException("the stream ended without its end record");
      }
      buffer.position(buffer.position() + n);
    }
    buffer.flip();
  }

  private static IOException broken(String how) {
    return new IOException("the stream is broken: " + how);
  }
}
