// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.tenant;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/** {@code DATA/admin-key}: the first key, readable by its owner alone. */
public final class AdminKeyFile {
  private final Path file;

  public AdminKeyFile(Path data) {
    this.file = data.resolve("admin-key");
  }

  /** Leaves a key in the file that {@code ring} accepts; a lost file or a lost database heals. */
  public void ensure(KeyRing ring) {
    try {
      if (Files.exists(file) && ring.knows(Files.readString(file).strip())) {
        return;
      }
      String key = ring.issue(KeyRing.DEFAULT_TENANT, Role.ADMIN, Optional.empty()).secret();
      Path fresh = file.resolveSibling("admin-key.new");
      Files.deleteIfExists(fresh);
      Files.createFile(
          fresh,
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      Files.writeString(fresh, key + "\n");
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the admin key to " + file, e);
    }
  }
}
