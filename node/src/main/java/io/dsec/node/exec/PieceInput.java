// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/**
 * Content that an applet sends in pieces: a 4-byte length and so many bytes; length 0 is their end.
 * An end without it is a transfer that broke.
 */
public abstract class PieceInput extends InputStream {
  private static final int MAX_PIECE = 1 << 20;
  private static final int NO_MORE = -1;

  private final AppletStream applet;
  private final DataInputStream in;
  private int left;
  private boolean over;

  protected PieceInput(AppletStream applet) {
    this.applet = applet;
    this.in = new DataInputStream(applet.input());
  }

  /** The guest gives up; what follows on the applet's stream says why. */
  protected abstract IOException givenUp() throws IOException;

  @Override
  public final int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public final int read(byte[] into, int from, int count) throws IOException {
    if (count == 0) {
      return 0;
    }
    if (left == 0 && !over) {
      next();
    }
    if (over) {
      return -1;
    }
    int got = in.read(into, from, Math.min(count, left));
    if (got < 0) {
      throw broken();
    }
    left -= got;
    return got;
  }

  private void next() throws IOException {
    try {
      left = in.readInt();
    } catch (EOFException _) {
      throw broken();
    }
    if (left == NO_MORE) {
      throw givenUp();
    }
    if (left < 0 || left > MAX_PIECE) {
      close();
      throw new IOException("the guest sent a piece of %d bytes".formatted(left));
    }
    over = left == 0;
  }

  private IOException broken() {
    return new IOException("the transfer broke: " + applet.ending());
  }

  @Override
  public void close() {
    applet.close();
  }
}
