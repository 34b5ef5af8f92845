// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.cgroup;

import io.dsec.node.host.SyscallException;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Removal of a node's own groups from one hierarchy. */
final class OwnGroups {
  private static final Logger LOG = LoggerFactory.getLogger(OwnGroups.class);

  private OwnGroups() {}

  /** Moves the node's own process back to the root; a group that is in use stays. */
  static void dispose(Path root, String prefix) {
    Path own = root.resolve(prefix);
    long self = ProcessHandle.current().pid();
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
