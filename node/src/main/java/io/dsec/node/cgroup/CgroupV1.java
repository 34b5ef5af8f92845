// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.cgroup;

import io.dsec.model.Resources;
import io.dsec.model.SandboxId;
import io.dsec.node.host.Mounts;
import io.dsec.node.host.OwnedFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Hosts whose controllers are v1: limits in the v1 hierarchies, killing and listing in a v2 tree
 * beside them.
 */
final class CgroupV1 extends NodeGroups {
  private final V1Hierarchies hierarchies;

  /** Whether the kernel limits memory with swap; found out by {@link #prepare}. */
  private boolean countsSwap;

  CgroupV1(CgroupConfig config, HostTotals totals, V1Hierarchies hierarchies, Path v2) {
    super(config, totals, v2, hierarchies.distinct());
    this.hierarchies = hierarchies;
  }

  @Override
  public void prepare() {
    if (ownMount() && Mounts.at(tree.root()).isEmpty()) {
      OwnedFiles.directory(tree.root(), 0755, 0, 0);
      Mounts.mount(
          "none", tree.root(), "cgroup2", Mounts.NOSUID | Mounts.NODEV | Mounts.NOEXEC, "");
    }
    super.prepare();
    capAllSandboxes();
  }

  private boolean ownMount() {
    return tree.root().equals(config.fallback());
  }

  /** Guests and node weigh as much as one core each, whatever the sandboxes ask for. */
  private void capAllSandboxes() {
    Path memory = sandboxes(hierarchies.memory());
    CgroupFile hierarchical = CgroupFile.of(memory, "memory.use_hierarchy");
    if (hierarchical.number(1) == 0) {
      hierarchical.write(1); // before Linux 5.11 this is not yet the only way
    }
    CgroupFile.of(memory, "memory.swappiness").write(0); // groups made below inherit it
    countsSwap = withSwap(memory).exists();
    setMemory(memory, totals.sandboxMemory(config), false);
    CgroupFile.of(sandboxes(hierarchies.pids()), "pids.max").write(totals.sandboxPids(config));
    Path cpu = hierarchies.cpu().resolve(config.prefix());
    CgroupFile.of(cpu, "cpu.shares").write(Limits.shares(totals.cores() + 2));
    CgroupFile.of(cpu.resolve("sandboxes"), "cpu.shares").write(Limits.shares(totals.cores()));
  }

  /** In fresh groups, what the kernel gives them is not written again. */
  @Override
  public SandboxGroups create(SandboxId id, Resources resources) {
    Limits limits = Limits.of(resources);
    tree.create(id);
    boolean fresh = true;
    for (Path hierarchy : v1) {
      fresh &= GroupTree.make(group(hierarchy, id));
    }
    Path memory = group(hierarchies.memory(), id);
    setMemory(memory, limits.memory(), fresh);
    Path cpu = group(hierarchies.cpu(), id);
    CgroupFile.of(cpu, "cpu.cfs_quota_us").write(limits.cpuQuota());
    if (!fresh || limits.cpuShares() != Limits.FRESH_SHARES) {
      CgroupFile.of(cpu, "cpu.shares").write(limits.cpuShares());
    }
    CgroupFile.of(group(hierarchies.pids(), id), "pids.max").write(limits.pids());
    List<Path> join =
        v1.stream()
            .filter(h -> !h.equals(hierarchies.memory()))
            .map(h -> group(h, id).resolve("cgroup.procs"))
            .toList();
    return new SandboxGroups(tree.sandbox(id), Optional.of(memory), join);
  }

  /** Memory with swap is never below memory, so it is lifted first when there was another limit. */
  private void setMemory(Path group, long bytes, boolean fresh) {
    if (countsSwap && !fresh) {
      withSwap(group).write(-1);
    }
    CgroupFile.of(group, "memory.limit_in_bytes").write(bytes);
    if (countsSwap) {
      withSwap(group).write(bytes);
    }
  }

  private static CgroupFile withSwap(Path group) {
    return CgroupFile.of(group, "memory.memsw.limit_in_bytes");
  }

  @Override
  public SandboxUsage usage(SandboxId id) {
    Path memory = group(hierarchies.memory(), id);
    Path pids = group(hierarchies.pids(), id);
    return new SandboxUsage(
        tree.cpuNanos(id),
        CgroupFile.of(memory, "memory.usage_in_bytes").number(0),
        CgroupFile.of(memory, "memory.max_usage_in_bytes").number(0),
        Math.toIntExact(CgroupFile.of(pids, "pids.current").number(0)),
        CgroupFile.of(group(hierarchies.cpu(), id), "cpu.stat").field("throttled_time"));
  }

  @Override
  public void reclaim(SandboxId id) {
    boolean _ =
        CgroupFile.of(group(hierarchies.memory(), id), "memory.force_empty").writeIfThere(0);
  }

  @Override
  public long pidsRefused(SandboxId id) {
    return CgroupFile.of(group(hierarchies.pids(), id), "pids.events").field("max");
  }

  @Override
  public void dispose() {
    super.dispose();
    if (ownMount() && !Files.exists(tree.prefix())) {
      Mounts.unmount(tree.root());
      GroupTree.removeUnused(tree.root());
    }
  }
}
