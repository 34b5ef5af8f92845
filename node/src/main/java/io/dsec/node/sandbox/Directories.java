// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.function.Predicate;

/** Directories that hold a sandbox's own files; flat, and closed to all but the node. */
final class Directories {
  private static final FileAttribute<?> PRIVATE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

  private Directories() {}

  static void make(Path directory) throws IOException {
    Files.createDirectory(directory, PRIVATE);
  }

  /** Safe to repeat. */
  static void deleteFiles(Path directory, Predicate<String> keep) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        if (!keep.test(String.valueOf(file.getFileName()))) {
          Files.deleteIfExists(file);
        }
      }
    } catch (NoSuchFileException _) {
      // gone already
    }
  }

  /** Safe to repeat. */
  static void delete(Path directory) throws IOException {
    deleteFiles(directory, _ -> false);
    Files.deleteIfExists(directory);
  }
}
