// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;

/** Where everything is kept unless {@code --data} or {@code DSEC_DATA} says otherwise. */
final class DataDirectory {
  private DataDirectory() {}

  static Path standard(Map<String, String> environment) {
    return standard(environment, new UnixSystem().getUid() == 0);
  }

  static Path standard(Map<String, String> environment, boolean root) {
    String named = environment.get("DSEC_DATA");
    if (named != null && !named.isEmpty()) {
      return Path.of(named).toAbsolutePath();
    }
    return root
        ? Path.of("/var/lib/dsec")
        : Path.of(environment.getOrDefault("HOME", "."), ".local", "share", "dsec");
  }

  /** A fresh one; {@link #remove} it. */
  static Path temporary() {
    try {
      return Files.createTempDirectory("dsec-");
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make a temporary data directory", e);
    }
  }

  static void remove(Path tree) {
    try (Stream<Path> all = Files.walk(tree)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    } catch (IOException | UncheckedIOException e) {
      System.err.println("dsec: cannot remove " + tree + ": " + e);
    }
  }
}
