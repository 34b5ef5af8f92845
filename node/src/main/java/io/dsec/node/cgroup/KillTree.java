// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.cgroup;

import io.dsec.model.DsecException;
import io.dsec.model.SandboxId;
import io.dsec.node.host.MountPoint;
import io.dsec.node.host.Mounts;
import io.dsec.node.host.SyscallException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The v2 side that hosts of all kinds have: one group per sandbox with {@code init} and {@code
 * work/e-N}, which kills, freezes and lists even where it has no controllers.
 */
final class KillTree {
  private static final Logger LOG = LoggerFactory.getLogger(KillTree.class);

  private static final long FIRST_LOOK_NANOS = 50_000;
  private static final long LAST_LOOK_NANOS = 5_000_000;

  private final Path root;
  private final String prefix;

  KillTree(Path root, String prefix) {
    this.root = root;
    this.prefix = prefix;
  }

  Path root() {
    return root;
  }

  Path prefix() {
    return root.resolve(prefix);
  }

  Path guests() {
    return prefix().resolve("guests");
  }

  Path sandboxes() {
    return prefix().resolve("sandboxes");
  }

  Path sandbox(SandboxId id) {
    return sandboxes().resolve(id.value());
  }

  Path work(SandboxId id) {
    return sandbox(id).resolve("work");
  }

  void prepare() {
    favorDynamicChanges(root);
    GroupTree.makeAll(root, prefix);
    GroupTree.make(guests());
    GroupTree.make(sandboxes());
  }

  /**
   * Joining a group takes a lock that is global to all hierarchies, v1 too: 7 ms after a quiet
   * spell, 0.06 ms with {@code favordynmods}. A remount replaces all options, so the present ones
   * are given again.
   */
  private static void favorDynamicChanges(Path root) {
    Optional<MountPoint> mount = Mounts.at(root).filter(m -> m.type().equals("cgroup2"));
    if (mount.isEmpty() || mount.get().superOptions().contains("favordynmods")) {
      return;
    }
    List<String> kept =
        mount.get().superOptions().stream()
            .filter(o -> !o.equals("rw") && !o.equals("ro"))
            .toList();
    String options = kept.isEmpty() ? "favordynmods" : String.join(",", kept) + ",favordynmods";
    try {
      Mounts.mount("none", root, "cgroup2", Mounts.REMOUNT | mount.get().flags(), options);
    } catch (SyscallException e) {
      LOG.info("cgroup joins stay slow (7 ms each): {}", e.getMessage());
    }
  }

  void create(SandboxId id) {
    GroupTree.make(sandbox(id));
    GroupTree.make(sandbox(id).resolve("init"));
    GroupTree.make(work(id));
  }

  void kill(SandboxId id) {
    CgroupFile.of(sandbox(id), "cgroup.kill").writeIfThere(1);
  }

  void killExec(SandboxId id, long exec) {
    CgroupFile.of(work(id).resolve("e-" + exec), "cgroup.kill").writeIfThere(1);
  }

  /** {@code init} is no part of it: it goes on answering. */
  boolean freeze(SandboxId id, Duration limit) {
    if (!CgroupFile.of(work(id), "cgroup.freeze").writeIfThere(1)) {
      return false;
    }
    CgroupFile events = CgroupFile.of(work(id), "cgroup.events");
    long end = System.nanoTime() + limit.toNanos();
    long pause = FIRST_LOOK_NANOS;
    while (events.field("frozen") == 0) {
      if (System.nanoTime() > end) {
        return false;
      }
      LockSupport.parkNanos(pause);
      pause = Math.min(2 * pause, LAST_LOOK_NANOS);
    }
    return true;
  }

  void thaw(SandboxId id) {
    CgroupFile.of(work(id), "cgroup.freeze").writeIfThere(0);
  }

  /** Processes that have ended but were not reaped do not count. */
  boolean empty(SandboxId id) {
    return CgroupFile.of(sandbox(id), "cgroup.events").field("populated") == 0;
  }

  /** CPU time of the sandbox's execs, which v2 counts without any controller. */
  long cpuNanos(SandboxId id) {
    return CgroupFile.of(work(id), "cpu.stat").field("usage_usec") * 1_000;
  }

  void remove(SandboxId id) {
    GroupTree.remove(sandbox(id).resolve("init"));
    GroupTree.remove(work(id));
    GroupTree.remove(sandbox(id));
  }

  Set<SandboxId> present() {
    return idsBelow(sandboxes());
  }

  static Set<SandboxId> idsBelow(Path sandboxes) {
    Set<SandboxId> found = new LinkedHashSet<>();
    for (Path group : GroupTree.children(sandboxes)) {
      try {
        found.add(new SandboxId(group.getFileName().toString()));
      } catch (DsecException e) {
        LOG.warn("{} is no sandbox's group; left alone", group);
      }
    }
    return found;
  }
}
