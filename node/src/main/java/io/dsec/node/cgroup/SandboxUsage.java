// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.cgroup;

/**
 * Use of one sandbox so far.
 *
 * @param cpuNanos of all its processes
 * @param memory bytes now
 * @param peakMemory bytes, highest so far
 * @param pids processes and threads now
 * @param throttledNanos time its processes wanted CPU but were held back
 */
public record SandboxUsage(
    long cpuNanos, long memory, long peakMemory, int pids, long throttledNanos) {}
