// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.host;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Whether a file system can be shown with other owners (id-mapped mounts). */
public final class IdMapping {
  private static final long OPEN_TREE = 428;
  private static final long MOUNT_SETATTR = 442;
  private static final long AT_FDCWD = -100;
  private static final long AT_EMPTY_PATH = 0x1000;
  private static final long CLONE_CLOEXEC = 0x80001;
  private static final long IDMAP = 0x100000;

  /** struct mount_attr: u64 set, clear, propagation, userns_fd. */
  private static final long ATTRIBUTES = 32;

  private IdMapping() {}

  /**
   * Tries it on a copy of the mount that is never attached anywhere.
   *
   * @throws SyscallException when the kernel or the file system cannot
   */
  public static void tryOn(Path directory) {
    Path unshare =
        Program.find("unshare")
            .orElseThrow(() -> new IllegalStateException("unshare (util-linux) is not installed"));
    try {
      Process holder =
          new ProcessBuilder(
                  unshare.toString(), "--user", "--map-root-user", "sh", "-c", "echo ready; read _")
              .redirectErrorStream(true)
              .start();
      try {
        if (holder.getInputStream().read() != 'r') {
          throw new IllegalStateException("unshare --user failed");
        }
        clone(directory, Path.of("/proc", String.valueOf(holder.pid()), "ns/user"));
      } finally {
        holder.getOutputStream().close();
        if (!holder.waitFor(5, TimeUnit.SECONDS)) {
          holder.destroyForcibly();
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while trying an id-mapped mount", e);
    }
  }

  /** SAFETY: path and structure lie in the arena, which outlives both calls. */
  private static void clone(Path directory, Path namespace) {
    try (Arena arena = Arena.ofConfined();
        Descriptor map = Syscalls.open(namespace, Syscalls.O_RDONLY)) {
      long path = arena.allocateFrom(directory.toString()).address();
      long fd =
          Syscalls.syscall("open_tree", directory, OPEN_TREE, AT_FDCWD, path, CLONE_CLOEXEC, 0, 0);
      try (Descriptor tree = new Descriptor((int) fd, directory)) {
        MemorySegment attributes = arena.allocate(ATTRIBUTES, 8);
        attributes.set(JAVA_LONG, 0, IDMAP);
        attributes.set(JAVA_LONG, 24, map.fd());
        var _ =
            Syscalls.syscall(
                "id-mapped mount of",
                directory,
                MOUNT_SETATTR,
                tree.fd(),
                arena.allocateFrom("").address(),
                AT_EMPTY_PATH,
                attributes.address(),
                ATTRIBUTES);
      }
    }
  }
}
