// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.proto.guest.Signal;
import java.time.Duration;

/**
 * How a deleted terminal goes: its processes are told that the line hung up, and what is left of
 * them a little later is killed, though the shell itself may have ended by then. Guarded by the
 * exec's lock.
 */
final class HangUp {
  private static final int SIGNAL = 1;
  private static final Duration GRACE = Duration.ofMillis(500);

  private boolean begun;

  /** True the first time: {@code kill} will run, whatever happens meanwhile. */
  boolean begin(long exec, ExecContext context, Runnable kill) {
    if (begun) {
      return false;
    }
    begun = true;
    context.link().send(Messages.signal(exec, SIGNAL, Signal.Target.ALL));
    var _ = context.timers().after(GRACE, kill);
    return true;
  }
}
