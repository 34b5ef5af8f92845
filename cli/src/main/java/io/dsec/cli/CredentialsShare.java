// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.client.Credentials;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Puts the admin key where clients of this user find it, unless another server's credentials are
 * there. What has this server's key or stands for its URL is its own: the URL can have no other
 * server now.
 */
final class CredentialsShare {
  private final Path file;
  private final Path data;

  CredentialsShare(Path file, Path data) {
    this.file = file;
    this.data = data;
  }

  /** Says in words where the key is. */
  String offer(Credentials own) throws IOException {
    if (!mayWrite(own)) {
      return "admin key in %s (%s belongs to another server and stays)"
          .formatted(data.resolve("admin-key"), file);
    }
    own.write(file);
    return "admin key in " + data.resolve("admin-key") + " and " + file;
  }

  private boolean mayWrite(Credentials own) {
    if (!Files.exists(file)) {
      return true;
    }
    try {
      Optional<Credentials> there = Credentials.read(file);
      return there.isEmpty()
          || there.get().key().equals(own.key())
          || there.get().url().equals(own.url());
    } catch (IllegalArgumentException _) {
      return false;
    }
  }
}
