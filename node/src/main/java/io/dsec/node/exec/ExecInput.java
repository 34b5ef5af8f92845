// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.model.Bytes;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.ExecSpec;
import io.dsec.proto.guest.StdinWindow;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What callers give an exec to read: recorded, then on its way by {@link Stdin}. Guarded by the
 * exec's lock.
 */
final class ExecInput {
  private final Exec exec;
  private final ExecContext context;
  private final @Nullable Stdin stdin; // null when it reads end-of-file at once

  ExecInput(Exec exec, ExecSpec spec, ExecContext context) {
    this.exec = exec;
    this.context = context;
    this.stdin =
        Stdin.given(spec)
            ? new Stdin(exec.number(), spec.stdin().orElse(Bytes.EMPTY), spec.stdinOpen())
            : null;
  }

  /** See {@link Exec#stdin}. */
  long give(long offset, Bytes data, boolean close, BooleanSupplier gone) {
    if (stdin == null) {
      throw DsecException.of(ErrorCode.CONFLICT, exec.id() + " was started without an open stdin")
          .withHint("give \"stdin_open\": true when you start it");
    }
    if (offset > stdin.received()) {
      throw DsecException.of(
              ErrorCode.CONFLICT,
              "the input of %s stands at %d, not at %d"
                  .formatted(exec.id(), stdin.received(), offset))
          .withField("offset");
    }
    exec.awaitThat(() -> stdin.over() || stdin.hasRoom() || gone.getAsBoolean());
    if (!stdin.over() && !stdin.hasRoom()) {
      throw DsecException.of(
          ErrorCode.CONFLICT,
          "%s does not read, and whoever gave it input has left; it has received %d bytes"
              .formatted(exec.id(), stdin.received()));
    }
    int known = offset < 0 ? 0 : (int) Math.min(stdin.received() - offset, data.length());
    Bytes fresh = data.slice(known, data.length());
    if (fresh.isEmpty() && (!close || stdin.over())) {
      return stdin.received();
    }
    if (stdin.over()) {
      throw DsecException.of(ErrorCode.CONFLICT, exec.id() + " reads no more input");
    }
    long at = stdin.received();
    stdin.add(fresh, close);
    context.recorder().bytes("exec.stdin", exec.id(), at, fresh.buffer());
    stdin.post(context.link());
    return stdin.received();
  }

  void window(StdinWindow window) {
    if (stdin != null) {
      if (window.getClosed()) {
        stdin.stop();
      }
      stdin.credit(window.getLimit());
      stdin.post(context.link());
    }
  }

  /** After a reconnect: init has everything before {@code known}. */
  void resume(long known) {
    if (stdin != null) {
      stdin.resume(known);
      stdin.post(context.link());
    }
  }

  /** The exec has ended. */
  void stop() {
    if (stdin != null) {
      stdin.stop();
    }
  }
}
