// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import java.time.Duration;
import java.util.List;

/**
 * @param maxBody bytes of one request body
 * @param heartbeat between signs of life on an exec stream
 * @param startWait how long an exec waits for a sandbox that is still starting
 * @param stopWithin how long a stop lets running calls end
 * @param hosts further {@code Host} names accepted on loopback
 */
public record ApiSettings(
    long maxBody, Duration heartbeat, Duration startWait, Duration stopWithin, List<String> hosts) {
  public static final ApiSettings DEFAULT =
      new ApiSettings(
          64L << 20,
          Duration.ofSeconds(15),
          Duration.ofSeconds(10),
          Duration.ofSeconds(10),
          List.of());

  public ApiSettings {
    hosts = List.copyOf(hosts);
  }

  public void problems(List<String> problems) {
    if (maxBody < 1024) {
      problems.add("api.max_body is " + maxBody + "; it must be at least 1024 bytes");
    }
    if (heartbeat.isNegative() || heartbeat.isZero()) {
      problems.add("api.heartbeat must be longer than 0");
    }
    if (startWait.isNegative() || stopWithin.isNegative()) {
      problems.add("api.start_wait and api.stop_within must not be negative");
    }
  }
}
