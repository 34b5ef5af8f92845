// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.cgroup;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What a node makes of the host's control groups.
 *
 * @param prefix the node's own group, relative to the root of each hierarchy; unlike that of any
 *     other node of this host
 * @param reserveMemory bytes of the host's memory that sandboxes never get, all together
 * @param reservePids processes of the host that sandboxes never get, all together
 * @param ownGroup whether the calling process moves to {@code PREFIX/node}; not wanted where
 *     systemd or Kubernetes has already placed it
 * @param fallback where cgroup v2 gets mounted when the host has it nowhere
 */
public record CgroupConfig(
    String prefix, long reserveMemory, int reservePids, boolean ownGroup, Path fallback) {
  private static final Pattern PREFIX =
      Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._@-]*(/[A-Za-z0-9_][A-Za-z0-9._@-]*)*");

  public CgroupConfig {
    List<String> problems = new ArrayList<>();
    if (!PREFIX.matcher(prefix).matches()) {
      problems.add("cgroup.prefix is \"%s\"; letters, digits and . _ @ - only".formatted(prefix));
    }
    if (reserveMemory < 0) {
      problems.add("cgroup.reserve_memory is %d; it must not be negative".formatted(reserveMemory));
    }
    if (reservePids < 0) {
      problems.add("cgroup.reserve_pids is %d; it must not be negative".formatted(reservePids));
    }
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", problems));
    }
  }

  /** 512 MiB and 2,048 processes stay the host's. */
  public static CgroupConfig of(String prefix) {
    return new CgroupConfig(
        prefix, 512L << 20, 2048, false, Path.of("/run/dsec/cgroup-" + prefix.replace('/', '-')));
  }

  public CgroupConfig withReserveMemory(long bytes) {
    return new CgroupConfig(prefix, bytes, reservePids, ownGroup, fallback);
  }
}
