// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.link.ExecListener.Stream;
import io.dsec.link.Json;
import io.dsec.model.Ending;
import io.dsec.model.ExecSpec;
import io.dsec.model.SandboxId;
import io.dsec.model.TerminalSize;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Calls about the processes of one sandbox. */
public final class Processes {
  private final Transport transport;
  private final String base;

  Processes(Transport transport, SandboxId sandbox) {
    this.transport = transport;
    this.base = "/v1/sandboxes/" + sandbox.value() + "/processes";
  }

  /** Starts a command in the background; returns once it runs. */
  public SandboxProcess start(ExecSpec spec) {
    return Replies.as(
        transport.json("POST", base, ExecWire.request(spec), DsecClient.CALL),
        SandboxProcess.class);
  }

  /** Newest first; ended ones as long as they are known. */
  public List<SandboxProcess> list() {
    return Pages.all(transport, Query.of(base), "processes").stream()
        .map(node -> Replies.as(node, SandboxProcess.class))
        .toList();
  }

  public SandboxProcess get(String id) {
    return Replies.as(transport.json("GET", path(id), null, DsecClient.CALL), SandboxProcess.class);
  }

  /** How it ended; empty while it runs. */
  public static Optional<Ending> ending(SandboxProcess process) {
    JsonNode ending = process.ending();
    return ending == null || ending.isNull()
        ? Optional.empty()
        : Optional.of(ExecWire.ending(ending));
  }

  /**
   * Bytes of one stream from {@code offset} on, or from the first that is still kept behind it; to
   * the end of what there is or, following, of the stream.
   */
  public InputStream output(String id, Stream stream, long offset, boolean follow) {
    String path =
        Query.of(path(id) + "/output")
            .with("stream", Json.lower(stream))
            .with("offset", offset == 0 ? null : offset)
            .with("follow", follow ? true : null)
            .toString();
    return transport.stream("GET", path, null, Map.of("Accept", "application/octet-stream"));
  }

  /** Gives it input, waiting while it does not read; returns how many bytes it was given in all. */
  public long stdin(String id, InputStream data, boolean close) {
    String path = Query.of(path(id) + "/stdin").with("close", close ? true : null).toString();
    return transport.upload("POST", path, data).path("offset").asLong(0);
  }

  /** {@code group}: to its whole process group. */
  public void signal(String id, String signal, boolean group) {
    transport.json(
        "POST", path(id) + "/signal", Map.of("signal", signal, "group", group), DsecClient.CALL);
  }

  /** Of one on a terminal. */
  public void resize(String id, TerminalSize size) {
    Map<String, ?> body = Map.of("cols", size.cols(), "rows", size.rows());
    transport.json("POST", path(id) + "/resize", body, DsecClient.CALL);
  }

  /** Kills all that is left of it and drops its record. Safe to repeat. */
  public void remove(String id) {
    transport.json("DELETE", path(id), null, DsecClient.CALL);
  }

  private String path(String id) {
    return base + "/" + Query.segment(id);
  }
}
