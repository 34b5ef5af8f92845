// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.cgroup;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.Resources;
import io.dsec.model.SandboxId;
import io.dsec.node.host.Errno;
import io.dsec.node.host.SyscallException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Hosts with one unified hierarchy. A group with processes cannot hand controllers to its children,
 * so nothing runs in {@code PREFIX}, {@code sandboxes}, {@code ID} or {@code work} itself. Execs
 * get groups with the memory controller only: CPU and pids are held at {@code work}, where refused
 * forks are counted too.
 */
final class CgroupV2 implements Cgroups {
  static final List<String> CONTROLLERS = List.of("cpu", "memory", "pids");
  private static final String ALL = "+cpu +memory +pids";

  private final CgroupConfig config;
  private final HostTotals totals;
  private final KillTree tree;

  CgroupV2(CgroupConfig config, HostTotals totals, Path root) {
    this.config = config;
    this.totals = totals;
    this.tree = new KillTree(root, config.prefix());
  }

  @Override
  public void prepare() {
    tree.prepare();
    if (config.ownGroup()) {
      Path node = tree.prefix().resolve("node");
      GroupTree.make(node);
      CgroupFile.of(node, "cgroup.procs").write(ProcessHandle.current().pid());
    }
    Path at = tree.root();
    for (Path part : Path.of(config.prefix())) {
      handDown(at);
      at = at.resolve(part);
    }
    handDown(tree.prefix());
    handDown(tree.sandboxes());
    capAllSandboxes();
  }

  private static void handDown(Path group) {
    try {
      CgroupFile.of(group, "cgroup.subtree_control").write(ALL);
    } catch (SyscallException e) {
      if (e.errno() == Errno.EBUSY) {
        throw DsecException.of(
                ErrorCode.NOT_SUPPORTED,
                "the control group %s has processes of its own, so it cannot have limited children"
                    .formatted(group))
            .withHint("name another prefix, or let the node move to a group of its own")
            .withCause(e);
      }
      throw e;
    }
  }

  /** Guests and node weigh as much as one core each, whatever the sandboxes ask for. */
  private void capAllSandboxes() {
    CgroupFile.of(tree.prefix(), "cpu.weight").write(Limits.weight(totals.cores() + 2));
    Path sandboxes = tree.sandboxes();
    CgroupFile.of(sandboxes, "cpu.weight").write(Limits.weight(totals.cores()));
    setMemory(sandboxes, totals.sandboxMemory(config));
    CgroupFile.of(sandboxes, "pids.max").write(totals.sandboxPids(config));
  }

  @Override
  public void joinGuests(long pid) {
    CgroupFile.of(tree.guests(), "cgroup.procs").write(pid);
  }

  @Override
  public SandboxGroups create(SandboxId id, Resources resources) {
    Limits limits = Limits.of(resources);
    tree.create(id);
    Path work = tree.work(id);
    CgroupFile.of(tree.sandbox(id), "cgroup.subtree_control").write(ALL);
    setMemory(work, limits.memory());
    CgroupFile.of(work, "cpu.max").write(limits.cpuQuota() + " " + Limits.CPU_PERIOD);
    CgroupFile.of(tree.sandbox(id), "cpu.weight").write(limits.cpuWeight());
    CgroupFile.of(work, "pids.max").write(limits.pids());
    CgroupFile.of(work, "cgroup.subtree_control").write("+memory");
    return new SandboxGroups(tree.sandbox(id), Optional.empty(), List.of());
  }

  private static void setMemory(Path group, long bytes) {
    CgroupFile.of(group, "memory.max").write(bytes);
    CgroupFile swap = CgroupFile.of(group, "memory.swap.max");
    if (swap.exists()) { // absent in kernels without swap
      swap.write(0);
    }
  }

  @Override
  public void kill(SandboxId id) {
    tree.kill(id);
  }

  @Override
  public void killExec(SandboxId id, long exec) {
    tree.killExec(id, exec);
  }

  @Override
  public boolean empty(SandboxId id) {
    return tree.empty(id);
  }

  @Override
  public void remove(SandboxId id) {
    tree.remove(id);
  }

  @Override
  public Set<SandboxId> present() {
    return tree.present();
  }

  @Override
  public SandboxUsage usage(SandboxId id) {
    Path work = tree.work(id);
    long memory = CgroupFile.of(work, "memory.current").number(0);
    return new SandboxUsage(
        tree.cpuNanos(id),
        memory,
        CgroupFile.of(work, "memory.peak").number(memory), // from Linux 5.19 on
        Math.toIntExact(CgroupFile.of(work, "pids.current").number(0)),
        CgroupFile.of(work, "cpu.stat").field("throttled_usec") * 1_000);
  }

  @Override
  public long pidsRefused(SandboxId id) {
    return CgroupFile.of(tree.work(id), "pids.events").field("max");
  }

  @Override
  public void dispose() {
    OwnGroups.dispose(tree.root(), config.prefix());
  }
}
