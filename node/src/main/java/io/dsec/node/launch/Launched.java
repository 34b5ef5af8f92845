// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.launch;

import io.dsec.proto.launch.LaunchReply;
import java.util.List;

/**
 * A sandbox whose init runs.
 *
 * @param pid of init on the host
 * @param startTicks field 22 of its stat
 */
public record Launched(long pid, long startTicks, List<Timing> timings) {
  /** One step of the launcher. */
  public record Timing(String step, long nanos) {}

  public Launched {
    timings = List.copyOf(timings);
  }

  static Launched of(LaunchReply reply) {
    return new Launched(
        reply.getPid(),
        reply.getStartTicks(),
        reply.getTimingsList().stream()
            .map(t -> new Timing(t.getStep(), t.getMicros() * 1000))
            .toList());
  }
}
