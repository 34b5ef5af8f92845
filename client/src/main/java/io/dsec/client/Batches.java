// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Calls about batches. */
public final class Batches {
  private static final String BASE = "/v1/batches";
  private final Transport transport;

  Batches(Transport transport) {
    this.transport = transport;
  }

  /**
   * @param request the content of a batch file, with its tasks in {@code tasks}
   */
  public Batch create(JsonNode request) {
    return Replies.as(transport.json("POST", BASE, request, null), Batch.class);
  }

  public Batch get(String id) {
    return Replies.as(describe(id), Batch.class);
  }

  /** With every field that the server sends. */
  public JsonNode describe(String id) {
    return transport.json("GET", path(id), null, DsecClient.CALL);
  }

  /** The newest first, with every field that the server sends. */
  public List<JsonNode> list() {
    return Pages.all(transport, Query.of(BASE), "batches");
  }

  /**
   * Starts nothing more and ends what runs: TERM first, KILL after {@code grace}. Does not wait.
   */
  public void cancel(String id, Duration grace) {
    transport.json("DELETE", path(id) + "?grace=" + grace.toMillis() + "ms", null, DsecClient.CALL);
  }

  public BatchEvents events(String id) {
    return new BatchEvents(transport, path(id) + "/events", Pause.SLEEPING);
  }

  /**
   * Results in the order of their endings, those with an {@code n} above {@code after}.
   *
   * @param follow waits for those to come until the batch is over
   */
  public ResultStream results(String id, long after, boolean follow) {
    return new ResultStream(resultLines(id, after, follow));
  }

  /** As {@link #results}, each as its JSON. */
  public LineStream resultLines(String id, long after, boolean follow) {
    String path =
        Query.of(path(id) + "/results")
            .with("from", after == 0 ? null : after)
            .with("follow", follow ? true : null)
            .toString();
    return new LineStream(
        transport.stream("GET", path, null, Map.of("Accept", Transport.NDJSON)),
        transport,
        "GET " + path);
  }

  /** Results, one after the other. */
  public static final class ResultStream implements AutoCloseable {
    private final LineStream lines;

    private ResultStream(LineStream lines) {
      this.lines = lines;
    }

    public @Nullable TaskResult next() {
      String line = lines.next();
      return line == null ? null : TaskResult.of(Replies.mapper().readTree(line));
    }

    @Override
    public void close() {
      lines.close();
    }
  }

  private static String path(String id) {
    return BASE + "/" + Query.segment(id);
  }
}
