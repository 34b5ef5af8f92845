// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.model.DsecException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import tools.jackson.databind.JsonNode;

/**
 * A client of one DSec server. Safe for use by many threads. Errors of the API are {@link
 * DsecException}; a server that does not answer is a {@link ConnectionException}.
 */
public final class DsecClient implements AutoCloseable {
  /** Limit of calls that the server answers at once. */
  static final Duration CALL = Duration.ofSeconds(60);

  private final Transport transport;

  public DsecClient(Endpoint endpoint) {
    this.transport = new Transport(endpoint);
  }

  /** Loads what a first call needs: a short command does so while it reads its arguments. */
  public static void prepare() {
    try (DsecClient _ = new DsecClient(new Endpoint(URI.create("http://127.0.0.1"), null))) {
      JsonNode _ = Replies.mapper().readTree("{}");
    }
  }

  public Endpoint endpoint() {
    return transport.endpoint();
  }

  public Sandboxes sandboxes() {
    return new Sandboxes(transport);
  }

  public Tasks tasks() {
    return new Tasks(transport);
  }

  public Batches batches() {
    return new Batches(transport);
  }

  public Keys keys() {
    return new Keys(transport);
  }

  /** Nodes, with every field that the server sends. */
  public List<JsonNode> nodes() {
    return Pages.all(transport, Query.of("/v1/nodes"), "nodes");
  }

  /**
   * True when a server answers and lives. False when nothing answers at the URL within {@code
   * limit} or what answers is not well.
   */
  public boolean healthy(Duration limit) {
    try {
      transport.json("GET", "/healthz", null, limit);
      return true;
    } catch (ConnectionException | DsecException _) {
      return false;
    }
  }

  @Override
  public void close() {
    transport.close();
  }
}
