// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Files with an owner and a mode that do not hang on the process's umask. */
public final class OwnedFiles {
  private OwnedFiles() {}

  /** Makes the directory and its parents where absent, and sets owner and mode in any case. */
  public static Path directory(Path path, int mode, int uid, int gid) {
    try {
      make(path, mode);
      return own(path, mode, uid, gid);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The common case, a new one below what exists, is a single call and never wider open. */
  private static void make(Path path, int mode) throws IOException {
    try {
      Syscalls.mkdir(path, mode);
    } catch (SyscallException _) {
      Files.createDirectories(path);
    }
  }

  /** Only for root: mode 0700. */
  public static Path privateDirectory(Path path) {
    return directory(path, 0700, 0, 0);
  }

  /** Changes nothing that is right already, as in a fresh directory of root's it mostly is. */
  public static Path own(Path path, int mode, int uid, int gid) {
    try {
      var now = Files.readAttributes(path, "unix:uid,gid,mode", LinkOption.NOFOLLOW_LINKS);
      boolean foreign =
          !Objects.equals(now.get("uid"), uid) || !Objects.equals(now.get("gid"), gid);
      boolean given = foreign && Syscalls.effectiveUid() == 0;
      if (given) {
        Syscalls.lchown(path, uid, gid);
      }
      boolean right = now.get("mode") instanceof Integer found && (found & 07777) == mode;
      if (given || !right) { // chown clears the set-id bits
        Files.setAttribute(path, "unix:mode", mode);
      }
      return path;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Removes a tree; links are removed, never followed. None there is no error. Only for trees of
   * our own making: programs can make deeper ones than a path name may be long.
   */
  public static void deleteTree(Path root) {
    if (!Files.exists(root, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try {
      Files.walkFileTree(
          root,
          new SimpleFileVisitor<Path>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              Files.deleteIfExists(file);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
              if (e instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
              }
              throw e;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException e)
                throws IOException {
              if (e != null) {
                throw e;
              }
              Files.deleteIfExists(dir);
              return FileVisitResult.CONTINUE;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
