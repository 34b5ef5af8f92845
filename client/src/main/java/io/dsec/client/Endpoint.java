// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.model.DsecException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where the server is and what opens it. A key from the credentials file is used only for the URL
 * that stands beside it there: it is never sent to another server.
 *
 * @param key null when none is known
 */
public record Endpoint(URI url, @Nullable String key) {
  public static final URI DEFAULT_URL = URI.create("http://127.0.0.1:7070");

  public Endpoint {
    String scheme = url.getScheme();
    if (url.getHost() == null || !("http".equals(scheme) || "https".equals(scheme))) {
      throw DsecException.invalid(
          "url", "the URL \"%s\" is none of a server; write http://HOST:PORT".formatted(url));
    }
    String text = url.toString();
    url = URI.create(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
  }

  /** What was given wins, then {@code DSEC_URL} and {@code DSEC_API_KEY}, then the file. */
  public static Endpoint resolve(
      Optional<String> url,
      Optional<String> key,
      Map<String, String> environment,
      Optional<Credentials> file) {
    Optional<URI> given =
        url.or(() -> Optional.ofNullable(environment.get("DSEC_URL")))
            .filter(text -> !text.isBlank())
            .map(Endpoint::parse);
    Endpoint chosen =
        new Endpoint(
            given.or(() -> file.map(Credentials::url)).orElse(DEFAULT_URL),
            key.or(() -> Optional.ofNullable(environment.get("DSEC_API_KEY")))
                .filter(text -> !text.isBlank())
                .orElse(null));
    if (chosen.key() != null || file.isEmpty()) {
      return chosen;
    }
    Endpoint known = new Endpoint(file.get().url(), file.get().key());
    return known.url().equals(chosen.url()) ? known : chosen;
  }

  private static URI parse(String text) {
    try {
      return new URI(text.contains("://") ? text : "http://" + text);
    } catch (URISyntaxException e) {
      throw DsecException.invalid(
          "url", "the URL \"%s\" is malformed: %s".formatted(text, e.getReason()));
    }
  }

  @Override
  public String toString() {
    return url.toString();
  }
}
