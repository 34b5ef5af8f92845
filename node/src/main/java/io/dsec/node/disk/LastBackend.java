// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.disk;

import io.dsec.node.host.OwnedFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** The file {@code backend}: by which mechanism the node made its layers when it ran last. */
final class LastBackend {
  private LastBackend() {}

  static Optional<String> read(Path directory) {
    Path file = directory.resolve("backend");
    try {
      return Files.exists(file)
          ? Optional.of(Files.readString(file).strip()).filter(DiskConfig.BEST_FIRST::contains)
          : Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void write(Path directory, String name) {
    OwnedFiles.privateDirectory(directory);
    try {
      Files.writeString(directory.resolve("backend"), name + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
