// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.link.ExecListener;
import io.dsec.model.ExecResult;
import io.dsec.model.ExecSpec;
import io.dsec.model.SandboxId;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Calls about sandboxes. Every one may throw {@link io.dsec.model.DsecException}. */
public final class Sandboxes {
  private static final String BASE = "/v1/sandboxes";
  private final Transport transport;

  Sandboxes(Transport transport) {
    this.transport = transport;
  }

  /** Returns when the sandbox runs, or queued when waiting was not wanted or took too long. */
  public Sandbox create(SandboxRequest request) {
    return Replies.as(transport.json("POST", BASE, request.toJson(), null), Sandbox.class);
  }

  public Sandbox get(SandboxId id) {
    return Replies.as(describe(id), Sandbox.class);
  }

  /** As {@link #get}, with every field that the server sends. */
  public JsonNode describe(SandboxId id) {
    return transport.json("GET", path(id), null, DsecClient.CALL);
  }

  public List<Sandbox> list(SandboxFilter filter) {
    return listed(filter).stream().map(node -> Replies.as(node, Sandbox.class)).toList();
  }

  /** As {@link #list}, with every field that the server sends. */
  public List<JsonNode> listed(SandboxFilter filter) {
    return Pages.all(transport, filter.of(BASE), "sandboxes");
  }

  /** Does nothing when it is gone already. With a grace, processes get TERM first. */
  public void delete(SandboxId id, Duration grace) {
    Query query = Query.of(path(id));
    if (!grace.isZero()) {
      query.with("grace", grace.toMillis() + "ms");
    }
    transport.json("DELETE", query.toString(), null, DsecClient.CALL.plus(grace));
  }

  /** Removes what the filter means; the server refuses an empty filter. Returns its reply. */
  public JsonNode deleteAll(SandboxFilter filter) {
    return transport.json("DELETE", filter.of(BASE).toString(), null, null);
  }

  /** Moves the absolute end to {@code ttl} from now. */
  public Sandbox renew(SandboxId id, Duration ttl) {
    return Replies.as(
        transport.json(
            "POST", path(id) + "/renew", Map.of("ttl", ttl.toNanos() / 1e9), DsecClient.CALL),
        Sandbox.class);
  }

  /** Runs a command and waits; the result holds its output up to {@code maxOutput}. */
  public ExecResult exec(SandboxId id, ExecSpec spec) {
    return ExecWire.result(
        transport.json("POST", path(id) + "/exec", ExecWire.request(spec), null));
  }

  /**
   * Runs a command and tells {@code listener} of its output as it comes, on the calling thread.
   * Output waits for a slow listener. The result has no output in it.
   */
  public ExecResult exec(SandboxId id, ExecSpec spec, ExecListener listener) {
    String path = path(id) + "/exec";
    try (InputStream in =
        transport.stream("POST", path, ExecWire.request(spec), Map.of("Accept", ExecStream.TYPE))) {
      return ExecStream.follow(in, listener);
    } catch (IOException | JacksonException e) {
      throw transport.lost("POST " + path, e instanceof IOException io ? io : new IOException(e));
    }
  }

  public Processes processes(SandboxId id) {
    return new Processes(transport, id);
  }

  /**
   * Changes of state as JSON lines, oldest first.
   *
   * @param follow waits for those to come until the sandbox is gone
   */
  public LineStream events(SandboxId id, boolean follow) {
    return lines(Query.of(path(id) + "/events").with("follow", follow ? true : null).toString());
  }

  /**
   * Events of the trajectory as JSON lines, from {@code fromSeq} on.
   *
   * @param follow waits for those to come until the sandbox is gone
   */
  public LineStream trajectory(SandboxId id, long fromSeq, boolean follow) {
    return lines(
        Query.of(path(id) + "/trajectory")
            .with("from", fromSeq == 0 ? null : fromSeq)
            .with("follow", follow ? true : null)
            .toString());
  }

  private LineStream lines(String path) {
    return new LineStream(
        transport.stream("GET", path, null, Map.of("Accept", Transport.NDJSON)),
        transport,
        "GET " + path);
  }

  private static String path(SandboxId id) {
    return BASE + "/" + id.value();
  }
}
