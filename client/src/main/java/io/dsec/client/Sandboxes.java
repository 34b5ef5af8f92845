// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.link.Duplex;
import io.dsec.link.ExecListener;
import io.dsec.model.ExecResult;
import io.dsec.model.ExecSpec;
import io.dsec.model.SandboxId;
import io.dsec.model.TerminalSize;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

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

  /** Freezes all its processes; calls that need them resume it. May be repeated. */
  public Sandbox pause(SandboxId id) {
    return turn(id, "/pause");
  }

  /** Lets its processes run again. May be repeated. */
  public Sandbox resume(SandboxId id) {
    return turn(id, "/resume");
  }

  /**
   * Makes sandboxes that begin with the files of this one, on its node: all or none.
   *
   * @param labels beside the parent's
   * @param ttl empty: as the parent's was
   */
  public List<Sandbox> fork(
      SandboxId id, int count, Map<String, String> labels, Optional<Duration> ttl) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("count", count);
    body.put("labels", labels);
    ttl.ifPresent(life -> body.put("ttl", life.toNanos() / 1e9));
    return sandboxes(transport.json("POST", path(id) + "/fork", body, null));
  }

  /** Many alike at once. Each tells in its state how it went. */
  public List<Sandbox> createMany(SandboxRequest request, int count) {
    ObjectNode body = request.toJson().put("count", count);
    return sandboxes(transport.json("POST", BASE + "/bulk", body, null));
  }

  private static List<Sandbox> sandboxes(JsonNode reply) {
    return reply.path("sandboxes").valueStream().map(s -> Replies.as(s, Sandbox.class)).toList();
  }

  private Sandbox turn(SandboxId id, String call) {
    return Replies.as(
        transport.json("POST", path(id) + call, null, DsecClient.CALL), Sandbox.class);
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

  /** Its files, as the sandbox's own user. */
  public Files files(SandboxId id) {
    return new Files(transport, id, null);
  }

  /** Its files, as {@code user}. */
  public Files files(SandboxId id, String user) {
    return new Files(transport, id, user);
  }

  /** Starts {@code spec}, which names its terminal's size, and attaches to it. */
  public Terminal terminal(SandboxId id, ExecSpec spec, Terminal.Listener listener) {
    TerminalSize size = spec.terminal().orElse(TerminalSize.DEFAULT);
    Query query =
        Query.of(path(id) + "/terminal").with("cols", size.cols()).with("rows", size.rows());
    if (!spec.shell()) {
      spec.argv().forEach(arg -> query.with("argv", arg));
    }
    spec.cwd().ifPresent(cwd -> query.with("cwd", cwd));
    spec.user().ifPresent(user -> query.with("user", user));
    spec.env().forEach((name, value) -> query.with("env", name + "=" + value));
    spec.timeout().ifPresent(limit -> query.with("timeout", limit.toMillis() + "ms"));
    return Terminal.open(transport, query.toString(), listener);
  }

  /** Attaches to a terminal that runs; recent output comes first. */
  public Terminal attach(SandboxId id, String process, Terminal.Listener listener) {
    String path = Query.of(path(id) + "/terminal").with("id", process).toString();
    return Terminal.open(transport, path, listener);
  }

  /**
   * A TCP connection with the server that listens on {@code port} inside; one where nothing listens
   * is a {@code conflict}. Closing its output ends that direction alone.
   */
  public Duplex connect(SandboxId id, int port) {
    return Tunnel.open(transport, Query.of(path(id) + "/tunnel").with("port", port).toString());
  }

  public Sessions sessions(SandboxId id) {
    return new Sessions(transport, id);
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
