// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.client.Credentials;
import io.dsec.client.DsecClient;
import io.dsec.client.Endpoint;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Which server a command talks to. */
public final class Connection {
  private static final Duration PROBE = Duration.ofSeconds(2);

  private final Map<String, String> environment;

  @Option(
      names = "--url",
      paramLabel = "URL",
      description =
          "The server. Default: DSEC_URL, else ~/.config/dsec/credentials, else http://127.0.0.1:7070.")
  private Optional<String> url = Optional.empty();

  @Option(
      names = "--key",
      paramLabel = "KEY",
      description = "The API key. Default: DSEC_API_KEY, else ~/.config/dsec/credentials.")
  private Optional<String> key = Optional.empty();

  public Connection(Map<String, String> environment) {
    this.environment = environment;
  }

  DsecClient open() {
    return new DsecClient(endpoint());
  }

  /** The server when it answers or was named; else nothing, and the caller may bring its own. */
  Optional<DsecClient> openIfPresent() {
    DsecClient client = open();
    boolean named = url.isPresent() || !environment.getOrDefault("DSEC_URL", "").isBlank();
    if (named || client.healthy(PROBE)) {
      return Optional.of(client);
    }
    client.close();
    return Optional.empty();
  }

  private Endpoint endpoint() {
    return Endpoint.resolve(
        url, key, environment, Credentials.read(Credentials.defaultFile(environment)));
  }
}
