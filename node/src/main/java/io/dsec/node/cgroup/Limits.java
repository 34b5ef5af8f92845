// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.cgroup;

import io.dsec.model.Resources;

/**
 * The values that cgroup files get for a sandbox.
 *
 * @param cpuQuota µs of CPU per {@link #CPU_PERIOD}
 * @param cpuShares v1, where 1,024 is one core's worth
 * @param cpuWeight v2, where 100 is one core's worth
 */
record Limits(long memory, long pids, long cpuQuota, long cpuShares, long cpuWeight) {
  /** µs; a fresh v1 group has it already. */
  static final long CPU_PERIOD = 100_000;

  /** The v1 shares of a fresh group. */
  static final long FRESH_SHARES = 1024;

  /** The kernel's least quota, µs. */
  private static final long MIN_QUOTA = 1_000;

  static Limits of(Resources resources) {
    return new Limits(
        resources.memory(),
        resources.pids(),
        Math.max(MIN_QUOTA, Math.round(resources.cpu() * CPU_PERIOD)),
        shares(resources.cpu()),
        weight(resources.cpu()));
  }

  static long shares(double cores) {
    return Math.clamp(Math.round(cores * FRESH_SHARES), 2, 262_144);
  }

  static long weight(double cores) {
    return Math.clamp(Math.round(cores * 100), 1, 10_000);
  }
}
