// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.host;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** quotactl_fd(2) for project quotas: like quotactl(2), but needs no device node (Linux 5.14). */
public final class Quota {
  public static final int GET = 0x800007;
  public static final int SET = 0x800008;
  private static final long QUOTACTL_FD = 443;
  private static final long PROJECTS = 2;

  private Quota() {}

  /**
   * @param on any file of the file system
   * @param block struct if_dqblk, read or filled
   */
  public static void control(Path on, int command, int project, MemorySegment block) {
    String operation =
        "quotactl %s project %d on".formatted(command == GET ? "get" : "set", project);
    try (Descriptor open = Syscalls.open(on, Syscalls.O_RDONLY)) {
      var _ =
          Syscalls.syscall(
              operation,
              on,
              QUOTACTL_FD,
              open.fd(),
              (long) command << 8 | PROJECTS,
              project,
              block.address(),
              0);
    }
  }
}
