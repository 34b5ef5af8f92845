// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.cgroup;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Host paths that the launcher needs.
 *
 * @param v2 the sandbox's v2 directory, with {@code init} and {@code work}
 * @param memory v1: directory under which each exec gets a memory group; empty where v2 does memory
 * @param join v1: {@code cgroup.procs} files that each exec joins
 */
public record SandboxGroups(Path v2, Optional<Path> memory, List<Path> join) {
  public SandboxGroups {
    join = List.copyOf(join);
  }
}
