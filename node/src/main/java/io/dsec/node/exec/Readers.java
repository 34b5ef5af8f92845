// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.link.OutputCursor;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Those who read what is kept of an exec, beside the one who waits for it. */
final class Readers {
  private final Exec exec;
  private final ExecOutput output;
  private int reading; // guarded by the exec's lock

  Readers(Exec exec, ExecOutput output) {
    this.exec = exec;
    this.output = output;
  }

  boolean any() {
    return reading > 0;
  }

  /** See {@link Exec#read}. */
  OutputCursor.@Nullable Piece read(int stream, long from, int max, BooleanSupplier follow) {
    synchronized (exec) {
      reading++;
      try {
        OutputCursor.Piece piece = output.read(stream, from, max);
        while (piece == null && follow.getAsBoolean() && exec.phase().open()) {
          exec.wait();
          piece = output.read(stream, from, max);
        }
        return piece;
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        return null;
      } finally {
        reading--;
        if (exec.phase().ended()) {
          output.rest(stream);
        }
      }
    }
  }
}
