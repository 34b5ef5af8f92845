// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.cgroup;

import io.dsec.model.SandboxId;
import io.dsec.node.host.SyscallException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What hosts of all kinds share: a v2 tree that kills and lists, and the node's own groups in it
 * and in each v1 hierarchy, of which there may be none.
 */
abstract class NodeGroups implements Cgroups {
  private static final Logger LOG = LoggerFactory.getLogger(NodeGroups.class);

  final CgroupConfig config;
  final HostTotals totals;
  final KillTree tree;
  final List<Path> v1;

  NodeGroups(CgroupConfig config, HostTotals totals, Path v2, List<Path> v1) {
    this.config = config;
    this.totals = totals;
    this.tree = new KillTree(v2, config.prefix());
    this.v1 = List.copyOf(v1);
  }

  @Override
  public void prepare() {
    tree.prepare();
    for (Path hierarchy : v1) {
      Path own = GroupTree.makeAll(hierarchy, config.prefix());
      GroupTree.make(own.resolve("guests"));
      GroupTree.make(own.resolve("sandboxes"));
    }
    if (config.ownGroup()) {
      own().forEach(own -> GroupTree.make(own.resolve("node")));
      join("node", ProcessHandle.current().pid());
    }
  }

  @Override
  public void joinGuests(long pid) {
    join("guests", pid);
  }

  private void join(String group, long pid) {
    own().forEach(own -> CgroupFile.of(own.resolve(group), "cgroup.procs").write(pid));
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
  public boolean freeze(SandboxId id, Duration limit) {
    return tree.freeze(id, limit);
  }

  @Override
  public void thaw(SandboxId id) {
    tree.thaw(id);
  }

  @Override
  public boolean empty(SandboxId id) {
    return tree.empty(id);
  }

  @Override
  public void remove(SandboxId id) {
    v1.forEach(hierarchy -> GroupTree.remove(group(hierarchy, id)));
    tree.remove(id);
  }

  @Override
  public Set<SandboxId> present() {
    Set<SandboxId> found = new LinkedHashSet<>(tree.present());
    v1.forEach(hierarchy -> found.addAll(KillTree.idsBelow(sandboxes(hierarchy))));
    return found;
  }

  /** Moves the node's own process back to the roots; a group that is in use stays. */
  @Override
  public void dispose() {
    long self = ProcessHandle.current().pid();
    for (Path root : roots().toList()) {
      Path own = root.resolve(config.prefix());
      if (CgroupFile.of(own.resolve("node"), "cgroup.procs").pids().contains(self)) {
        CgroupFile.of(root, "cgroup.procs").writeIfThere(self);
      }
      try {
        GroupTree.removeUnused(own);
      } catch (SyscallException e) {
        LOG.info("left in place: {}", e.getMessage());
      }
    }
  }

  private Stream<Path> roots() {
    return Stream.concat(v1.stream(), Stream.of(tree.root()));
  }

  private Stream<Path> own() {
    return roots().map(root -> root.resolve(config.prefix()));
  }

  Path sandboxes(Path hierarchy) {
    return hierarchy.resolve(config.prefix()).resolve("sandboxes");
  }

  Path group(Path hierarchy, SandboxId id) {
    return sandboxes(hierarchy).resolve(id.value());
  }
}
