// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.cgroup;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.node.host.MountPoint;
import io.dsec.node.host.Mounts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Finds out which kind of control groups the host has. */
public final class CgroupProbe {
  private CgroupProbe() {}

  /**
   * Groups for one node; nothing is made yet.
   *
   * @throws DsecException {@code NOT_SUPPORTED} with what is missing
   */
  public static Cgroups choose(CgroupConfig config) {
    return choose(config, Mounts.all());
  }

  static Cgroups choose(CgroupConfig config, List<MountPoint> mounts) {
    HostTotals totals = HostTotals.read();
    Optional<Path> v2 = v2(mounts);
    if (v2.isPresent() && missing(v2.get()).isEmpty()) {
      return new CgroupV2(config, totals, v2.get());
    }
    return V1Hierarchies.among(mounts)
        .<Cgroups>map(v1 -> new CgroupV1(config, totals, v1, v2.orElse(config.fallback())))
        .orElseThrow(() -> unusable(mounts));
  }

  /** For instance {@code v2 at /sys/fs/cgroup}. */
  public static String describe() {
    List<MountPoint> mounts = Mounts.all();
    Optional<Path> v2 = v2(mounts);
    if (v2.isPresent() && missing(v2.get()).isEmpty()) {
      return "v2 at " + v2.get();
    }
    return V1Hierarchies.among(mounts)
        .map(
            v1 ->
                "%s: memory at %s, cpu at %s, pids at %s; v2 tree for killing at %s"
                    .formatted(
                        v2.isPresent() ? "hybrid" : "v1",
                        v1.memory(),
                        v1.cpu(),
                        v1.pids(),
                        v2.map(Path::toString).orElse("a mount of our own")))
        .orElseThrow(() -> unusable(mounts));
  }

  /** Directories in which the node makes its groups. */
  public static List<Path> roots() {
    List<MountPoint> mounts = Mounts.all();
    List<Path> roots = new ArrayList<>();
    v2(mounts).ifPresent(roots::add);
    if (roots.isEmpty() || !missing(roots.getFirst()).isEmpty()) {
      V1Hierarchies.among(mounts).ifPresent(v1 -> roots.addAll(v1.distinct()));
    }
    return roots;
  }

  /** The first where several show the same tree; never one that a node mounted for itself. */
  private static Optional<Path> v2(List<MountPoint> mounts) {
    return mounts.stream()
        .filter(m -> m.type().equals("cgroup2") && Files.isDirectory(m.target()))
        .map(MountPoint::target)
        .filter(target -> !target.startsWith("/run/dsec"))
        .findFirst();
  }

  private static List<String> missing(Path v2) {
    // cpuset cpu io memory hugetlb pids
    List<String> there = List.of(CgroupFile.of(v2, "cgroup.controllers").read().split(" ", -1));
    return CgroupV2.CONTROLLERS.stream().filter(c -> !there.contains(c)).toList();
  }

  private static DsecException unusable(List<MountPoint> mounts) {
    List<String> missing =
        CgroupV2.CONTROLLERS.stream().filter(c -> V1Hierarchies.of(c, mounts).isEmpty()).toList();
    return DsecException.of(
            ErrorCode.NOT_SUPPORTED,
            "this host offers no control groups for %s, neither v2 nor v1".formatted(missing))
        .withHint(
            "mount cgroup2 at /sys/fs/cgroup with these controllers; in a container, give it"
                + " the host's cgroups (docker: --cgroupns=host -v /sys/fs/cgroup:/sys/fs/cgroup)");
  }
}
