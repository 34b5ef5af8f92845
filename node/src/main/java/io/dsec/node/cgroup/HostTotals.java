// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.cgroup;

import java.nio.file.Path;

/**
 * What the host has.
 *
 * @param memory bytes
 * @param pids processes and threads
 */
record HostTotals(long memory, long pids, int cores) {
  static HostTotals read() {
    Path kernel = Path.of("/proc/sys/kernel");
    return new HostTotals(
        KernelText.memTotal(new CgroupFile(Path.of("/proc/meminfo")).read()),
        Math.min(
            CgroupFile.of(kernel, "pid_max").number(32_768),
            CgroupFile.of(kernel, "threads-max").number(32_768)),
        Runtime.getRuntime().availableProcessors());
  }

  /** Memory for all sandboxes; at least a quarter, whatever the reserve. */
  long sandboxMemory(CgroupConfig config) {
    return Math.max(memory / 4, memory - config.reserveMemory());
  }

  long sandboxPids(CgroupConfig config) {
    return Math.max(pids / 4, pids - config.reservePids());
  }
}
