// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Phases of a start, each measured from the end of the one before; null while it lasts.
 *
 * @param run of the main command, for tasks
 */
public record Timings(
    @Nullable Duration queued,
    @Nullable Duration placed,
    @Nullable Duration prepared,
    @Nullable Duration started,
    @Nullable Duration run) {
  public static final Timings NONE = new Timings(null, null, null, null, null);

  Timings withRun(Duration time) {
    return new Timings(queued, placed, prepared, started, time);
  }
}
