// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.client.DsecClient;
import io.dsec.client.Endpoint;
import java.util.Optional;

/** A client, and with it the embedded server when no other runs. */
public final class ServerAccess implements AutoCloseable {
  private final DsecClient client;
  private final AutoCloseable behind;

  private ServerAccess(DsecClient client, AutoCloseable behind) {
    this.client = client;
    this.behind = behind;
  }

  public static ServerAccess open(Connection connection, Surroundings around) {
    Optional<DsecClient> present = connection.openIfPresent();
    if (present.isPresent()) {
      return new ServerAccess(present.get(), present.get());
    }
    Embedded embedded;
    OnExit.Step step;
    try (OnExit.Hold _ = around.onExit().hold()) {
      embedded = Embedded.temporary(around.terminal().environment());
      step = around.onExit().push(embedded::close);
    }
    DsecClient client = new DsecClient(new Endpoint(embedded.url(), embedded.key()));
    return new ServerAccess(
        client,
        () -> {
          client.close();
          embedded.close();
          step.close();
        });
  }

  public DsecClient client() {
    return client;
  }

  @Override
  public void close() {
    try {
      behind.close();
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
