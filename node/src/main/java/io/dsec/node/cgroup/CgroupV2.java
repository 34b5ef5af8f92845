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

/**
 * Hosts with one unified hierarchy. A group with processes cannot hand controllers to its children,
 * so nothing runs in {@code PREFIX}, {@code sandboxes}, {@code ID} or {@code work} itself. Execs
 * get groups with the memory controller only: CPU and pids are held at {@code work}, where refused
 * forks are counted too.
 */
final class CgroupV2 extends NodeGroups {
  static final List<String> CONTROLLERS = List.of("cpu", "memory", "pids");
  private static final long RECLAIM_BYTES = 64L << 20;
  private static final int RECLAIM_STEPS = 1024;
  private static final String ALL = "+cpu +memory +pids";

  CgroupV2(CgroupConfig config, HostTotals totals, Path root) {
    super(config, totals, root, List.of());
  }

  @Override
  public void prepare() {
    super.prepare();
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
    CgroupFile.of(sandboxes, "memory.max").write(totals.sandboxMemory(config));
    CgroupFile swap = CgroupFile.of(sandboxes, "memory.swap.max");
    if (swap.exists()) { // absent in kernels without swap
      swap.write(0); // binds every group below
    }
    CgroupFile.of(sandboxes, "pids.max").write(totals.sandboxPids(config));
  }

  @Override
  public SandboxGroups create(SandboxId id, Resources resources) {
    Limits limits = Limits.of(resources);
    tree.create(id);
    Path work = tree.work(id);
    CgroupFile.of(tree.sandbox(id), "cgroup.subtree_control").write(ALL);
    CgroupFile.of(work, "memory.max").write(limits.memory());
    CgroupFile.of(work, "cpu.max").write(limits.cpuQuota() + " " + Limits.CPU_PERIOD);
    CgroupFile.of(tree.sandbox(id), "cpu.weight").write(limits.cpuWeight());
    CgroupFile.of(work, "pids.max").write(limits.pids());
    CgroupFile.of(work, "cgroup.subtree_control").write("+memory");
    return new SandboxGroups(tree.sandbox(id), Optional.empty(), List.of());
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

  /**
   * The kernel answers EAGAIN when it could not take as much; before Linux 5.19 it has no such
   * file.
   */
  @Override
  public void reclaim(SandboxId id) {
    CgroupFile file = CgroupFile.of(tree.work(id), "memory.reclaim");
    try {
      for (int i = 0; i < RECLAIM_STEPS && file.writeIfThere(RECLAIM_BYTES); i++) {
        // as long as it finds some
      }
    } catch (SyscallException e) {
      if (e.errno() != Errno.EAGAIN) {
        throw e;
      }
    }
  }

  @Override
  public long pidsRefused(SandboxId id) {
    return CgroupFile.of(tree.work(id), "pids.events").field("max");
  }
}
