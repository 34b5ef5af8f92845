// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.disk;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.dsec.node.host.Descriptor;
import io.dsec.node.host.Errno;
import io.dsec.node.host.SyscallException;
import io.dsec.node.host.Syscalls;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * Subvolumes and their limits, by ioctl. SAFETY: each structure has the size that its request
 * number states and lives until the call has returned.
 */
final class BtrfsCalls {
  private static final long SUBVOL_CREATE = 0x5000940eL;
  private static final long SNAP_CREATE = 0x50009401L;
  private static final long SNAP_DESTROY = 0x5000940fL;
  private static final long INO_LOOKUP = 0xd0009412L;
  private static final long QUOTA_CTL = 0xc0109428L;
  private static final long QGROUP_LIMIT = 0x8030942bL;

  private static final long QUOTA_FULL = 1;
  private static final long QUOTA_SIMPLE = 4;
  private static final long LIMIT_REFERENCED = 1;
  private static final long ROOT_DIRECTORY = 256;

  /** struct btrfs_ioctl_vol_args: s64 fd, char name[4088]. */
  private static final long NAMED = 4096;

  private BtrfsCalls() {}

  /** False when there is one of that name. */
  static boolean createSubvolume(Path parent, String name) {
    try {
      named(parent, name, "SUBVOL_CREATE " + name + " in", SUBVOL_CREATE, 0);
      return true;
    } catch (SyscallException e) {
      if (e.errno() == Errno.EEXIST) {
        return false;
      }
      throw e;
    }
  }

  /** A subvolume with the files of another, as they are now; their data is shared. */
  static void snapshot(Path source, Path parent, String name) {
    try (Descriptor from = Syscalls.open(source, Syscalls.O_RDONLY)) {
      named(parent, name, "SNAP_CREATE " + name + " in", SNAP_CREATE, from.number());
    }
  }

  /** Also while in use: programs inside then see their files vanish. None there is no error. */
  static void destroySubvolume(Path parent, String name) {
    try {
      named(parent, name, "SNAP_DESTROY " + name + " in", SNAP_DESTROY, 0);
    } catch (SyscallException e) {
      if (e.errno() != Errno.ENOENT) {
        throw e;
      }
    }
  }

  private static void named(
      Path parent, String name, String operation, long request, long descriptor) {
    try (Descriptor open = Syscalls.open(parent, Syscalls.O_RDONLY);
        Arena arena = Arena.ofConfined()) {
      MemorySegment arguments = arena.allocate(NAMED, 8);
      arguments.set(JAVA_LONG, 0, descriptor);
      arguments.setString(8, name);
      var _ = open.ioctl(operation, request, arguments);
    }
  }

  /**
   * Simple quotas (Linux 6.7) charge an extent to the subvolume that wrote it first, without the
   * search for other owners that full quota groups do at each commit.
   *
   * @return the kind that is on now
   */
  static String enableQuota(Path pool) {
    try (Descriptor open = Syscalls.open(pool, Syscalls.O_RDONLY)) {
      try {
        quotaControl(open, QUOTA_SIMPLE);
        return "simple quotas";
      } catch (SyscallException e) {
        if (e.errno() != Errno.EINVAL && e.errno() != Errno.EOPNOTSUPP) {
          throw e;
        }
        quotaControl(open, QUOTA_FULL);
        return "quota groups";
      }
    }
  }

  // struct btrfs_ioctl_quota_ctl_args: u64 cmd, u64 status
  private static void quotaControl(Descriptor open, long command) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment arguments = arena.allocate(16, 8);
      arguments.set(JAVA_LONG, 0, command);
      var _ = open.ioctl("QUOTA_CTL", QUOTA_CTL, arguments);
    }
  }

  /** Bytes that the subvolume may refer to, its metadata included. */
  static void limit(Path subvolume, long bytes) {
    try (Descriptor open = Syscalls.open(subvolume, Syscalls.O_RDONLY);
        Arena arena = Arena.ofConfined()) {
      // struct btrfs_ioctl_qgroup_limit_args: u64 qgroupid (0: this subvolume's), u64 flags,
      // u64 max_rfer, u64 max_excl, u64 rsv_rfer, u64 rsv_excl
      MemorySegment arguments = arena.allocate(48, 8);
      arguments.set(JAVA_LONG, 8, LIMIT_REFERENCED);
      arguments.set(JAVA_LONG, 16, bytes);
      var _ = open.ioctl("QGROUP_LIMIT on", QGROUP_LIMIT, arguments);
    }
  }

  static long subvolumeId(Path subvolume) {
    try (Descriptor open = Syscalls.open(subvolume, Syscalls.O_RDONLY);
        Arena arena = Arena.ofConfined()) {
      // struct btrfs_ioctl_ino_lookup_args: u64 treeid (0: this subvolume's), u64 objectid, name
      MemorySegment arguments = arena.allocate(NAMED, 8);
      arguments.set(JAVA_LONG, 8, ROOT_DIRECTORY);
      var _ = open.ioctl("INO_LOOKUP in", INO_LOOKUP, arguments);
      return arguments.get(JAVA_LONG, 0);
    }
  }
}
