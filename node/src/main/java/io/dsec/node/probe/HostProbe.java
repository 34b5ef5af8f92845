// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.probe;

import io.dsec.node.cgroup.CgroupProbe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Looks the host over for {@code dsec doctor}. Makes nothing that stays, and answers without root
 * too.
 */
public final class HostProbe {
  private final Path data;

  /**
   * @param data the node's data directory, or where it is to be
   */
  public HostProbe(Path data) {
    this.data = data.toAbsolutePath().normalize();
  }

  /** Never throws: what cannot be found out is a finding too. */
  public List<Finding> findings() {
    List<Check> checks = new ArrayList<>(KernelChecks.all());
    checks.add(
        new Check(
            "cgroups",
            true,
            HostProbe::cgroups,
            "mount cgroup2 with cpu, memory and pids at /sys/fs/cgroup, writable"));
    checks.addAll(new StorageChecks(data).all());
    return checks.stream().map(Check::run).toList();
  }

  private static String cgroups() throws NotOffered {
    String kind = CgroupProbe.describe();
    for (Path root : CgroupProbe.roots()) {
      NotOffered.unless(Files.isWritable(root), "%s; but %s is not writable".formatted(kind, root));
    }
    return kind;
  }
}
