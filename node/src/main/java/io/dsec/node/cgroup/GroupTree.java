// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.cgroup;

import io.dsec.node.host.Errno;
import io.dsec.node.host.SyscallException;
import io.dsec.node.host.Syscalls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Directories of a cgroup hierarchy. */
final class GroupTree {
  /** A dying process can hold its group for a moment: 200 tries, 1 ms apart. */
  private static final int TRIES = 200;

  private static final long PAUSE_NANOS = 1_000_000;

  private GroupTree() {}

  /** False when it was there. */
  static boolean make(Path group) {
    try {
      Syscalls.mkdir(group, 0755);
      return true;
    } catch (SyscallException e) {
      if (e.errno() == Errno.EEXIST) {
        return false;
      }
      throw e;
    }
  }

  /** Makes {@code root/a/b} for the prefix {@code a/b}. */
  static Path makeAll(Path root, String prefix) {
    Path at = root;
    for (Path part : Path.of(prefix)) {
      at = at.resolve(part);
      make(at);
    }
    return at;
  }

  static List<Path> children(Path group) {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(group, Files::isDirectory)) {
      all.forEach(found::add);
    } catch (NoSuchFileException | NotDirectoryException e) {
      return List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found;
  }

  /**
   * Removes the group with those below it; a missing one is no error.
   *
   * @throws SyscallException EBUSY when a process stays in it
   */
  static void remove(Path group) {
    if (removedAtOnce(group)) {
      return;
    }
    children(group).forEach(GroupTree::remove);
    for (int i = 0; ; i++) {
      try {
        removeOne(group);
        return;
      } catch (SyscallException e) {
        if (e.errno() != Errno.EBUSY || i == TRIES) {
          throw e;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /** Saves listing the control files, of which each group has dozens. */
  private static boolean removedAtOnce(Path group) {
    try {
      removeOne(group);
      return true;
    } catch (SyscallException e) {
      if (e.errno() != Errno.EBUSY && e.errno() != Errno.ENOTEMPTY) {
        throw e;
      }
      return false;
    }
  }

  /** Like {@link #remove}, but does not wait for processes to end. */
  static void removeUnused(Path group) {
    children(group).forEach(GroupTree::removeUnused);
    removeOne(group);
  }

  private static void removeOne(Path group) {
    try {
      Syscalls.rmdir(group);
    } catch (SyscallException e) {
      if (e.errno() != Errno.ENOENT) {
        throw e;
      }
    }
  }
}
