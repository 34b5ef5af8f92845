// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.disk;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.dsec.node.host.Descriptor;
import io.dsec.node.host.Quota;
import io.dsec.node.host.Syscalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** Project ids of directories, which XFS and ext4 can count and limit. */
final class ProjectQuotaCalls {
  private static final long FSGETXATTR = 0x801c581fL;
  private static final long FSSETXATTR = 0x401c5820L;

  // struct fsxattr: u32 xflags, extsize, nextents, projid, cowextsize; 8 bytes of padding
  private static final long FSXATTR = 28;
  private static final long PROJECT = 12;
  private static final int INHERIT = 0x200;

  /** struct if_dqblk: six u64 (space and inodes: hard, soft, used), two times, u32 valid. */
  private static final long DQBLK = 72;

  private static final int BOTH_LIMITS = 5;

  /**
   * @param bytes in use
   * @param limited whether any limit is set
   */
  record Use(long bytes, long inodes, boolean limited) {
    boolean unused() {
      return bytes == 0 && inodes == 0 && !limited;
    }
  }

  private ProjectQuotaCalls() {}

  /** SAFETY: the structure has the size in the request number and outlives the call. */
  static int project(Path directory) {
    try (Descriptor open = Syscalls.open(directory, Syscalls.O_RDONLY);
        Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = arena.allocate(FSXATTR, 4);
      var _ = open.ioctl("FSGETXATTR of", FSGETXATTR, attributes);
      return attributes.get(JAVA_INT, PROJECT);
    }
  }

  /** What is made below gets the same project. SAFETY: as above. */
  static void setProject(Path directory, int project) {
    try (Descriptor open = Syscalls.open(directory, Syscalls.O_RDONLY);
        Arena arena = Arena.ofConfined()) {
      MemorySegment attributes = arena.allocate(FSXATTR, 4);
      var _ = open.ioctl("FSGETXATTR of", FSGETXATTR, attributes);
      attributes.set(JAVA_INT, 0, attributes.get(JAVA_INT, 0) | INHERIT);
      attributes.set(JAVA_INT, PROJECT, project);
      var _ = open.ioctl("FSSETXATTR of", FSSETXATTR, attributes);
    }
  }

  /** 0 lifts a limit. */
  static void limit(Path on, int project, long bytes, long inodes) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment block = arena.allocate(DQBLK, 8);
      block.set(JAVA_LONG, 0, (bytes + 1023) / 1024); // the kernel counts in KiB
      block.set(JAVA_LONG, 24, inodes);
      block.set(JAVA_INT, 64, BOTH_LIMITS);
      Quota.control(on, Quota.SET, project, block);
    }
  }

  static Use use(Path on, int project) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment block = arena.allocate(DQBLK, 8);
      Quota.control(on, Quota.GET, project, block);
      boolean limited = block.get(JAVA_LONG, 0) != 0 || block.get(JAVA_LONG, 24) != 0;
      return new Use(block.get(JAVA_LONG, 16), block.get(JAVA_LONG, 40), limited);
    }
  }
}
