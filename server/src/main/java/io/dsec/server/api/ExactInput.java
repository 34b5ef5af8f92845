// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** A body of announced length: when it ends before that, the client went away. */
final class ExactInput extends FilterInputStream {
  private long left;

  ExactInput(InputStream in, long length) {
    super(in);
    this.left = length;
  }

  /** What is left of a call whose body cannot be read to its end. */
  static DsecException cut(IOException e) {
    return DsecException.of(
            ErrorCode.INVALID_REQUEST, "the body was cut off: %s".formatted(e.getMessage()))
        .withCause(e);
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int from, int count) throws IOException {
    if (left == 0) {
      return -1;
    }
    int got = super.read(into, from, (int) Math.min(count, left));
    if (got < 0) {
      throw new EOFException("the body ends %d bytes early".formatted(left));
    }
    left -= got;
    return got;
  }
}
