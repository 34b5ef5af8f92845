// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.link.ExecListener;
import io.dsec.link.OutputCursor;
import org.jspecify.annotations.Nullable;

/**
 * Reads what is kept of one stream of an exec, at its own pace: it holds nobody up, unless it is
 * {@link #pacing}.
 */
public final class ProcessOutput implements OutputCursor {
  private static final int PIECE = 64 << 10;

  private final Exec exec;
  private final int stream;
  private final boolean follow;
  private long at;
  private boolean paces;
  private volatile boolean closed;

  public ProcessOutput(Exec exec, ExecListener.Stream stream, long from, boolean follow) {
    this.exec = exec;
    this.stream = stream == ExecListener.Stream.STDOUT ? 0 : 1;
    this.at = from;
    this.follow = follow;
  }

  /** Its exec's output waits for it to be read. */
  ProcessOutput pacing() {
    paces = true;
    exec.pacedBy(this);
    return this;
  }

  @Override
  public long offset() {
    return at;
  }

  @Override
  public @Nullable Piece next() {
    if (paces) {
      exec.paced(this, at);
    }
    Piece piece = closed ? null : exec.read(stream, at, PIECE, () -> follow && !closed);
    if (piece != null) {
      at = piece.offset() + piece.data().length();
    }
    return piece;
  }

  @Override
  public void close() {
    closed = true;
    if (paces) {
      exec.detached(this);
    } else {
      exec.wake();
    }
  }
}
