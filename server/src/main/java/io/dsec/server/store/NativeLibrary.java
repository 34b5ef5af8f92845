// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.store;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where the driver of SQLite unpacks its library, once per process. A process that is killed leaves
 * its copy behind; the next one at the same data sweeps it. One that runs has no need of the file.
 */
final class NativeLibrary {
  private NativeLibrary() {}

  /** Before the first connection of this process. */
  static void unpackTo(Path directory) throws IOException {
    Files.createDirectories(directory);
    try (DirectoryStream<Path> left = Files.newDirectoryStream(directory)) {
      for (Path file : left) {
        Files.deleteIfExists(file);
      }
    }
    System.setProperty("org.sqlite.tmpdir", directory.toAbsolutePath().toString());
  }
}
