// SPDX-License-Identifier: Apache-2.0
package io.dsec.node;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.Ids;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;

/** A node's directory, locked: its name, its incarnation, and where the rest lies. */
final class DataDirectory implements AutoCloseable {
  private final Path root;
  private final FileChannel lock;
  private final String instance;
  private final long epoch;

  private DataDirectory(Path root, FileChannel lock) throws IOException {
    this.root = root;
    this.lock = lock;
    Files.createDirectories(sandboxes());
    Path name = root.resolve("instance");
    if (!Files.exists(name)) {
      write(name, Ids.letters(new SecureRandom(), 8));
    }
    instance = Files.readString(name).strip();
    Path number = root.resolve("epoch");
    epoch = Files.exists(number) ? Long.parseLong(Files.readString(number).strip()) + 1 : 1;
    write(number, Long.toString(epoch));
  }

  /**
   * @throws DsecException {@code CONFLICT} when another node holds it
   */
  static DataDirectory open(Path root) {
    try {
      Files.createDirectories(root);
      Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwx------"));
      FileChannel lock =
          FileChannel.open(
              root.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      try {
        if (lock.tryLock() != null) {
          return new DataDirectory(root, lock);
        }
      } catch (OverlappingFileLockException _) {
        // held by this very process
      }
      lock.close();
      throw DsecException.of(
              ErrorCode.CONFLICT, "another node uses the data directory %s".formatted(root))
          .withHint("stop it, or give this one a directory of its own");
    } catch (IOException e) {
      throw new UncheckedIOException("data directory " + root, e);
    }
  }

  private static void write(Path path, String text) throws IOException {
    Path fresh = path.resolveSibling(path.getFileName() + ".new");
    Files.writeString(fresh, text + "\n");
    Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE);
  }

  Path sandboxes() {
    return root.resolve("sandboxes");
  }

  Path launchSocket() {
    return root.resolve("launch.sock");
  }

  String instance() {
    return instance;
  }

  long epoch() {
    return epoch;
  }

  @Override
  public void close() {
    try {
      lock.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
