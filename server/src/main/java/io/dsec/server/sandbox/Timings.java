// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.sandbox;

import io.dsec.server.observe.Meters;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Where the time of a create went, in seconds; null until known.
 *
 * @param queued waiting for a node
 * @param placed choosing and reaching the node
 * @param prepared the node's steps before the launch
 * @param started from there until the sandbox answered
 */
public record Timings(
    @Nullable Double queued,
    @Nullable Double placed,
    @Nullable Double prepared,
    @Nullable Double started) {
  public static final Timings NONE = new Timings(null, null, null, null);

  Timings withQueued(Duration time) {
    return new Timings(seconds(time), placed, prepared, started);
  }

  Timings withStart(Duration place, Duration prepare, Duration start) {
    Duration rest = place.minus(prepare).minus(start);
    return new Timings(
        queued,
        seconds(rest.isNegative() ? Duration.ZERO : rest),
        seconds(prepare),
        seconds(start));
  }

  void tell(Meters meters) {
    meters.phase("queued", queued);
    meters.phase("placed", placed);
    meters.phase("prepared", prepared);
    meters.phase("started", started);
  }

  private static double seconds(Duration time) {
    return time.toNanos() / 1e9;
  }
}
