// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.store;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Instants as the database keeps them: microseconds since 1970 UTC. */
public final class Times {
  private Times() {}

  public static long micros(Instant at) {
    return ChronoUnit.MICROS.between(Instant.EPOCH, at);
  }

  public static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }
}
