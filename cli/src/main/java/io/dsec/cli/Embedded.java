// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;

/** Server and node in this process: where {@code dsec up} and commands without a server meet. */
final class Embedded implements AutoCloseable {
  private final URI url;
  private final String key;

  private Embedded(URI url, String key) {
    this.url = url;
    this.key = key;
  }

  /** For the length of one command: a free port of loopback, the key in memory only. */
  static Embedded temporary(Map<String, String> environment) {
    return start(DataDirectory.standard(environment), "127.0.0.1", 0);
  }

  static Embedded start(Path data, String host, int port) {
    if (port < 0) {
      return new Embedded(URI.create("http://" + host), "");
    }
    throw DsecException.of(
        ErrorCode.NOT_SUPPORTED,
        "the embedded server is not wired yet (%s, %s:%d)".formatted(data, host, port));
  }

  URI url() {
    return url;
  }

  String key() {
    return key;
  }

  /** Removes every sandbox, then stops. Safe to repeat. */
  @Override
  public void close() {}
}
