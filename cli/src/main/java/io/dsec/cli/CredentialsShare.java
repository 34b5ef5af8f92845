// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.client.Credentials;
import io.dsec.client.DsecClient;
import io.dsec.client.Endpoint;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Puts the admin key where clients of this user find it, unless another server's credentials are
 * there. What has this server's key or stands for its URL is its own: the URL can have no other
 * server now. What stands for a server of this machine that answers no more is left over.
 */
final class CredentialsShare {
  private static final Duration LIMIT = Duration.ofSeconds(2);

  private final Path file;
  private final Path data;
  private final Predicate<URI> answers;

  CredentialsShare(Path file, Path data, Predicate<URI> answers) {
    this.answers = answers;
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
          || there.get().url().equals(own.url())
          || (local(there.get().url()) && !answers.test(there.get().url()));
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  static boolean answers(URI url) {
    try (DsecClient client = new DsecClient(new Endpoint(url, null))) {
      return client.healthy(LIMIT);
    }
  }

  private static boolean local(URI url) {
    String host = String.valueOf(url.getHost());
    return host.startsWith("127.") || host.equals("localhost") || host.equals("[::1]");
  }
}
