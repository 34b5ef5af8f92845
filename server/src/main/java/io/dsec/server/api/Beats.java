// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.server.time.Timer;
import java.time.Duration;
import java.util.concurrent.Future;

/** How often a reply that is silent shows that it is alive. */
record Beats(Timer timer, Duration every) {
  /** Repeats {@code beat} until the result is cancelled. */
  Future<?> start(Runnable beat) {
    return timer.every(every, beat);
  }
}
