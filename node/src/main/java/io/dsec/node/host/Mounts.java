// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Mounts of this process's mount namespace. */
public final class Mounts {
  public static final long RDONLY = 1;
  public static final long NOSUID = 2;
  public static final long NODEV = 4;
  public static final long NOEXEC = 8;
  public static final long REMOUNT = 32;
  public static final long NOATIME = 1024;
  public static final long BIND = 4096;
  private static final int DETACH = 2;
  private static final Path TABLE = Path.of("/proc/self/mountinfo");

  private Mounts() {}

  /** {@code source} stands in the mount table; for a pseudo file system any word does. */
  public static void mount(String source, Path target, String type, long flags, String options) {
    Syscalls.mount(source, target, type, flags, options);
  }

  /**
   * Removes every mount stacked on {@code target}; none there is no error. One that is in use is
   * detached: it leaves the tree now and ends with its last user.
   */
  public static void unmount(Path target) {
    while (true) {
      try {
        Syscalls.unmount(target, 0);
      } catch (SyscallException e) {
        switch (e.errno()) {
          case Errno.EINVAL, Errno.ENOENT -> {
            return;
          }
          case Errno.EBUSY -> Syscalls.unmount(target, DETACH);
          default -> throw e;
        }
      }
    }
  }

  /**
   * Whether a file system of its own is mounted here: a look at two inodes, where {@link #at} reads
   * the whole table. A bind mount within one file system is not seen.
   */
  public static boolean mounted(Path target) {
    try {
      return !Files.getAttribute(target, "unix:dev")
          .equals(Files.getAttribute(target.resolveSibling("."), "unix:dev"));
    } catch (NoSuchFileException e) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** In the order they were mounted. */
  public static List<MountPoint> all() {
    try (var lines = Files.lines(TABLE)) {
      return lines.map(MountPoint::parse).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The topmost mount at exactly this directory. */
  public static Optional<MountPoint> at(Path target) {
    return all().stream().filter(m -> m.target().equals(target)).reduce((a, b) -> b);
  }

  /** Mounts below {@code directory}, deepest first, as an unmounting sweep wants them. */
  public static List<MountPoint> below(Path directory) {
    return all().reversed().stream()
        .filter(m -> m.target().startsWith(directory) && !m.target().equals(directory))
        .toList();
  }
}
