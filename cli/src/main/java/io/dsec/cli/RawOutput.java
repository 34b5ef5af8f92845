// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.link.ExecListener;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** Passes a program's output on byte by byte, each stream to its own. */
final class RawOutput implements ExecListener {
  private final OutputStream out;
  private final OutputStream err;
  private final Consumer<String> onStart;

  /**
   * @param onStart gets the exec's id
   */
  RawOutput(OutputStream out, OutputStream err, Consumer<String> onStart) {
    this.out = out;
    this.err = err;
    this.onStart = onStart;
  }

  @Override
  public void started(String id) {
    onStart.accept(id);
  }

  @Override
  public void output(Stream stream, long offset, ByteBuffer data) {
    OutputStream target = stream == Stream.STDOUT ? out : err;
    try {
      if (data.hasArray()) {
        target.write(data.array(), data.arrayOffset() + data.position(), data.remaining());
      } else {
        byte[] copy = new byte[data.remaining()];
        data.get(copy);
        target.write(copy);
      }
    } catch (IOException e) {
      throw new ReaderGone(e);
    }
  }

  /** Nobody reads what the program writes any more, as behind {@code | head}. */
  static final class ReaderGone extends UncheckedIOException {
    ReaderGone(IOException cause) {
      super("nobody reads the output any more", cause);
    }
  }
}
