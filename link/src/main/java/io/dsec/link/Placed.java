// SPDX-License-Identifier: Apache-2.0
package io.dsec.link;

import io.dsec.model.Tier;
import java.time.Duration;
import java.time.Instant;

/**
 * A sandbox that runs.
 *
 * @param prepared time the node took for steps before the launch
 * @param started time from there until init answered
 */
public record Placed(
    String node,
    Tier tier,
    String imageDigest,
    Instant startedAt,
    Duration prepared,
    Duration started) {}
