// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.disk;

import io.dsec.model.DsecException;
import io.dsec.model.SandboxId;
import io.dsec.node.host.OwnedFiles;
import io.dsec.node.host.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;

/**
 * What all back ends lay out alike: {@code upper} and {@code work} below a directory per sandbox.
 */
final class LayerDirectories {
  /** The sandbox that is copied stands still so long, at most. */
  private static final Duration COPY_LIMIT = Duration.ofSeconds(30);

  private LayerDirectories() {}

  /** Of a layer that was made before. */
  static WritableLayer of(Path parent) {
    return new WritableLayer(parent.resolve("upper"), parent.resolve("work"));
  }

  /**
   * Both belong to root of the sandbox, which on disk is root: layers are id-mapped when mounted.
   */
  static WritableLayer make(Path parent) {
    return new WritableLayer(
        OwnedFiles.directory(parent.resolve("upper"), 0755, 0, 0),
        OwnedFiles.directory(parent.resolve("work"), 0755, 0, 0));
  }

  /**
   * Copies files with all that belongs to them, sharing their data where the file system can. By
   * {@code cp}, which follows no links and keeps devices (what overlay marks removed files with).
   */
  static void copyFiles(WritableLayer from, WritableLayer to) {
    Program.run(
        COPY_LIMIT, "cp", "-a", "--reflink=auto", "--", from.upper() + "/.", to.upper() + "/");
  }

  static Set<SandboxId> idsIn(Path directory) {
    Set<SandboxId> ids = new LinkedHashSet<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        id(entry.getFileName().toString()).ifPresent(ids::add);
      }
    } catch (NoSuchFileException e) {
      return Set.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ids;
  }

  private static Optional<SandboxId> id(String name) {
    try {
      return Optional.of(new SandboxId(name));
    } catch (DsecException e) {
      return Optional.empty();
    }
  }
}
