// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.channel;

import java.nio.ByteBuffer;

/**
 * Reads a {@code FromGuest} that holds an {@code Output}, by hand: the generated parser would copy
 * the data. The bytes of {@code Output{exec: 7, offset: 2, data: "hi"}} in its envelope:
 *
 * <pre>
 *   1a 08  08 07  18 02  22 02 68 69
 * </pre>
 */
final class OutputParser {
  static final int ENVELOPE_TAG = 3 << 3 | 2;

  private static final int EXEC = 1 << 3;
  private static final int STREAM = 2 << 3;
  private static final int OFFSET = 3 << 3;
  private static final int DATA = 4 << 3 | 2;

  private OutputParser() {}

  /** True when the body is an Output and nothing else, as every honest guest sends it. */
  static boolean matches(ByteBuffer body) {
    return body.get(body.position()) == ENVELOPE_TAG;
  }

  static Output parse(Frame frame) throws ProtocolBreach {
    ByteBuffer in = frame.body().duplicate();
    in.get();
    long length = varint(in);
    if (length != in.remaining()) {
      throw new ProtocolBreach("an Output does not fill its frame");
    }
    long exec = 0;
    long stream = 0;
    long offset = 0;
    ByteBuffer data = in.slice(in.position(), 0);
    while (in.hasRemaining()) {
      int tag = (int) varint(in);
      switch (tag) {
        case EXEC -> exec = varint(in);
        case STREAM -> stream = varint(in);
        case OFFSET -> offset = varint(in);
        case DATA -> data = bytes(in);
        default -> throw new ProtocolBreach("an Output has the unknown tag " + tag);
      }
    }
    if (stream < 0 || stream > 1) {
      throw new ProtocolBreach("an Output names the stream " + stream);
    }
    if (offset < 0 || data.remaining() > Output.MAX_DATA) {
      throw new ProtocolBreach(
          "an Output has %d bytes at offset %d".formatted(data.remaining(), offset));
    }
    return new Output(exec, (int) stream, offset, data, frame);
  }

  private static ByteBuffer bytes(ByteBuffer in) throws ProtocolBreach {
    long length = varint(in);
    if (length < 0 || length > in.remaining()) {
      throw new ProtocolBreach("the data of an Output pass its end");
    }
    ByteBuffer data = in.slice(in.position(), (int) length);
    in.position(in.position() + (int) length);
    return data;
  }

  private static long varint(ByteBuffer in) throws ProtocolBreach {
    long value = 0;
    for (int shift = 0; shift < 64 && in.hasRemaining(); shift += 7) {
      byte b = in.get();
      value |= (long) (b & 0x7f) << shift;
      if (b >= 0) {
        return value;
      }
    }
    throw new ProtocolBreach("a number in an Output has no end");
  }
}
