// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.cgroup;

import io.dsec.model.Resources;
import io.dsec.model.SandboxId;
import io.dsec.node.host.Mounts;
import io.dsec.node.host.OwnedFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Hosts whose controllers are v1: limits in the v1 hierarchies, killing and listing in a v2 tree
 * beside them.
 */
final class CgroupV1 implements Cgroups {
  private final CgroupConfig config;
  private final HostTotals totals;
  private final V1Hierarchies hierarchies;
  private final KillTree kill;

  CgroupV1(CgroupConfig config, HostTotals totals, V1Hierarchies hierarchies, Path v2) {
    this.config = config;
    this.totals = totals;
    this.hierarchies = hierarchies;
    this.kill = new KillTree(v2, config.prefix());
  }

  @Override
  public void prepare() {
    if (kill.root().equals(config.fallback()) && Mounts.at(kill.root()).isEmpty()) {
      OwnedFiles.directory(kill.root(), 0755, 0, 0);
      Mounts.mount(
          "none", kill.root(), "cgroup2", Mounts.NOSUID | Mounts.NODEV | Mounts.NOEXEC, "");
    }
    kill.prepare();
    for (Path hierarchy : hierarchies.distinct()) {
      Path own = GroupTree.makeAll(hierarchy, config.prefix());
      GroupTree.make(own.resolve("guests"));
      GroupTree.make(own.resolve("sandboxes"));
      if (config.ownGroup()) {
        GroupTree.make(own.resolve("node"));
        CgroupFile.of(own.resolve("node"), "cgroup.procs").write(ProcessHandle.current().pid());
      }
    }
    capAllSandboxes();
  }

  /** Guests and node weigh as much as one core each, whatever the sandboxes ask for. */
  private void capAllSandboxes() {
    Path memory = sandboxes(hierarchies.memory());
    CgroupFile hierarchical = CgroupFile.of(memory, "memory.use_hierarchy");
    if (hierarchical.number(1) == 0) {
      hierarchical.write(1); // before Linux 5.11 this is not yet the only way
    }
    setMemory(memory, totals.sandboxMemory(config));
    CgroupFile.of(sandboxes(hierarchies.pids()), "pids.max").write(totals.sandboxPids(config));
    Path cpu = hierarchies.cpu().resolve(config.prefix());
    CgroupFile.of(cpu, "cpu.shares").write(Limits.shares(totals.cores() + 2));
    CgroupFile.of(cpu.resolve("sandboxes"), "cpu.shares").write(Limits.shares(totals.cores()));
  }

  @Override
  public void joinGuests(long pid) {
    CgroupFile.of(kill.guests(), "cgroup.procs").write(pid);
    for (Path hierarchy : hierarchies.distinct()) {
      CgroupFile.of(hierarchy.resolve(config.prefix()).resolve("guests"), "cgroup.procs")
          .write(pid);
    }
  }

  @Override
  public SandboxGroups create(SandboxId id, Resources resources) {
    Limits limits = Limits.of(resources);
    kill.create(id);
    for (Path hierarchy : hierarchies.distinct()) {
      GroupTree.make(group(hierarchy, id));
    }
    Path memory = group(hierarchies.memory(), id);
    setMemory(memory, limits.memory());
    CgroupFile.of(memory, "memory.swappiness").write(0);
    Path cpu = group(hierarchies.cpu(), id);
    CgroupFile.of(cpu, "cpu.cfs_period_us").write(Limits.CPU_PERIOD);
    CgroupFile.of(cpu, "cpu.cfs_quota_us").write(limits.cpuQuota());
    CgroupFile.of(cpu, "cpu.shares").write(limits.cpuShares());
    Path pids = group(hierarchies.pids(), id);
    CgroupFile.of(pids, "pids.max").write(limits.pids());
    List<Path> join =
        hierarchies.distinct().stream()
            .filter(h -> !h.equals(hierarchies.memory()))
            .map(h -> group(h, id).resolve("cgroup.procs"))
            .toList();
    return new SandboxGroups(kill.sandbox(id), Optional.of(memory), join);
  }

  /** Memory with swap is never below memory, so it is lifted first when there was another limit. */
  private static void setMemory(Path group, long bytes) {
    CgroupFile limit = CgroupFile.of(group, "memory.limit_in_bytes");
    CgroupFile withSwap = CgroupFile.of(group, "memory.memsw.limit_in_bytes");
    boolean swap = withSwap.exists();
    if (swap) {
      withSwap.write(-1);
    }
    limit.write(bytes);
    if (swap) {
      withSwap.write(bytes);
    }
  }

  @Override
  public void kill(SandboxId id) {
    kill.kill(id);
  }

  @Override
  public void killExec(SandboxId id, long exec) {
    kill.killExec(id, exec);
  }

  @Override
  public boolean empty(SandboxId id) {
    return kill.empty(id);
  }

  @Override
  public void remove(SandboxId id) {
    for (Path hierarchy : hierarchies.distinct()) {
      GroupTree.remove(group(hierarchy, id));
    }
    kill.remove(id);
  }

  @Override
  public Set<SandboxId> present() {
    Set<SandboxId> found = new LinkedHashSet<>(kill.present());
    for (Path hierarchy : hierarchies.distinct()) {
      found.addAll(KillTree.idsBelow(sandboxes(hierarchy)));
    }
    return found;
  }

  @Override
  public SandboxUsage usage(SandboxId id) {
    Path memory = group(hierarchies.memory(), id);
    Path pids = group(hierarchies.pids(), id);
    return new SandboxUsage(
        kill.cpuNanos(id),
        CgroupFile.of(memory, "memory.usage_in_bytes").number(0),
        CgroupFile.of(memory, "memory.max_usage_in_bytes").number(0),
        Math.toIntExact(CgroupFile.of(pids, "pids.current").number(0)),
        CgroupFile.of(group(hierarchies.cpu(), id), "cpu.stat").field("throttled_time"));
  }

  @Override
  public long pidsRefused(SandboxId id) {
    return CgroupFile.of(group(hierarchies.pids(), id), "pids.events").field("max");
  }

  @Override
  public void dispose() {
    for (Path hierarchy : hierarchies.distinct()) {
      OwnGroups.dispose(hierarchy, config.prefix());
    }
    OwnGroups.dispose(kill.root(), config.prefix());
    if (kill.root().equals(config.fallback()) && !Files.exists(kill.prefix())) {
      Mounts.unmount(kill.root());
      GroupTree.removeUnused(kill.root());
    }
  }

  private Path sandboxes(Path hierarchy) {
    return hierarchy.resolve(config.prefix()).resolve("sandboxes");
  }

  private Path group(Path hierarchy, SandboxId id) {
    return sandboxes(hierarchy).resolve(id.value());
  }
}
