// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.link.ExecListener;
import io.dsec.model.ExecResult;
import org.jspecify.annotations.Nullable;

/** The one who waits for an exec and, as a listener, takes its output meanwhile. By one thread. */
final class Waiter {
  private final Exec exec;
  private final ExecOutput output;
  private final ExecListener listener;
  private boolean told;

  Waiter(Exec exec, ExecOutput output, ExecListener listener) {
    this.exec = exec;
    this.output = output;
    this.listener = listener;
  }

  ExecResult await() {
    for (; ; ) {
      Pieces.@Nullable Piece piece = null;
      synchronized (exec) {
        exec.awaitThat(this::news);
        if (!output.followed() || ((told || !exec.began()) && !output.hasPieces())) {
          return exec.result();
        }
        if (told) {
          piece = output.nextPiece();
        }
      }
      if (!told) {
        told = true;
        listener.started(exec.id());
      }
      if (piece != null) {
        deliver(piece);
      }
    }
  }

  private boolean news() {
    if (exec.phase().ended()) {
      return true;
    }
    return output.followed() && (output.hasPieces() || (exec.began() && !told));
  }

  private void deliver(Pieces.Piece piece) {
    long reached = piece.offset + piece.data.limit();
    try {
      listener.output(piece.name(), piece.offset, piece.data.asReadOnlyBuffer());
    } finally {
      piece.release();
    }
    synchronized (exec) {
      output.delivered(piece.stream, reached, exec.phase().ended());
    }
    output.flush();
  }
}
