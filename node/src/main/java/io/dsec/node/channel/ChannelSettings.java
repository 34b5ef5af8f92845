// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.channel;

import java.time.Duration;
import java.util.List;

/**
 * @param welcome how long init may take to answer a Hello
 * @param retries pauses between attempts to reach init again; then the channel is lost
 * @param breaches so many breaches of the contract end the sandbox
 */
public record ChannelSettings(Duration welcome, List<Duration> retries, int breaches) {
  public static final ChannelSettings DEFAULT =
      new ChannelSettings(
          Duration.ofSeconds(10),
          List.of(
              Duration.ofMillis(1),
              Duration.ofMillis(5),
              Duration.ofMillis(20),
              Duration.ofMillis(100),
              Duration.ofMillis(250),
              Duration.ofMillis(500),
              Duration.ofMillis(1000)),
          3);

  public ChannelSettings {
    retries = List.copyOf(retries);
  }
}
