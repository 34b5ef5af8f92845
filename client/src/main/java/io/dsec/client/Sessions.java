// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.link.ExecListener;
import io.dsec.model.ExecResult;
import io.dsec.model.SandboxId;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;

/** Calls about the shell sessions of one sandbox. */
public final class Sessions {
  private final Transport transport;
  private final String base;

  Sessions(Transport transport, SandboxId sandbox) {
    this.transport = transport;
    this.base = "/v1/sandboxes/" + sandbox.value() + "/sessions";
  }

  /** A session of the sandbox's user with the default shell. */
  public ShellSession create() {
    return create(Map.of());
  }

  /**
   * @param fields of {@code shell, login, cwd, env, user}
   */
  public ShellSession create(Map<String, ?> fields) {
    return Replies.as(transport.json("POST", base, fields, DsecClient.CALL), ShellSession.class);
  }

  public List<ShellSession> list() {
    return Pages.all(transport, Query.of(base), "sessions").stream()
        .map(node -> Replies.as(node, ShellSession.class))
        .toList();
  }

  public ShellSession get(String id) {
    return Replies.as(transport.json("GET", path(id), null, DsecClient.CALL), ShellSession.class);
  }

  /** Runs a command in it and waits; {@code conflict} while another one runs. */
  public ExecResult run(String id, String command, Optional<Duration> timeout) {
    return ExecWire.result(
        transport.json("POST", path(id) + "/run", request(command, timeout), null));
  }

  /** The same; tells {@code listener} of output as it comes. The result has none. */
  public ExecResult run(
      String id, String command, Optional<Duration> timeout, ExecListener listener) {
    String path = path(id) + "/run";
    Map<String, String> accept = Map.of("Accept", ExecStream.TYPE);
    try (InputStream in = transport.stream("POST", path, request(command, timeout), accept)) {
      return ExecStream.follow(in, listener);
    } catch (IOException | JacksonException e) {
      throw transport.lost("POST " + path, e instanceof IOException io ? io : new IOException(e));
    }
  }

  private static Map<String, ?> request(String command, Optional<Duration> timeout) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("command", command);
    timeout.ifPresent(limit -> body.put("timeout", limit.toNanos() / 1e9));
    return body;
  }

  /** As Ctrl-C would. */
  public void interrupt(String id) {
    transport.json("POST", path(id) + "/interrupt", null, DsecClient.CALL);
  }

  /** Kills its shell and what runs in it. Safe to repeat. */
  public void remove(String id) {
    transport.json("DELETE", path(id), null, DsecClient.CALL);
  }

  private String path(String id) {
    return base + "/" + Query.segment(id);
  }
}
