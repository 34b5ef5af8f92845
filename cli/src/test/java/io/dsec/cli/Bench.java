// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.dsec.cli.term.Terminal;
import io.dsec.client.Pause;
import io.dsec.model.Bytes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Runs commands in this process against a server with prepared replies. */
public final class Bench implements AutoCloseable {
  private record Canned(int status, Bytes body) {}

  private final HttpServer server;
  private final Map<String, Canned> replies = new ConcurrentHashMap<>();
  private final List<String> asked = Collections.synchronizedList(new ArrayList<>());
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final Map<String, String> environment = new HashMap<>();
  private byte[] stdin = new byte[0];

  public Bench() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    environment.put("DSEC_URL", "http://127.0.0.1:" + server.getAddress().getPort());
    environment.put("DSEC_API_KEY", "k");
    environment.put("HOME", "/nonexistent");
  }

  /**
   * @param call {@code METHOD /path} without the query
   */
  public Bench reply(String call, int status, String body) {
    return reply(call, status, body.getBytes(StandardCharsets.UTF_8));
  }

  public Bench reply(String call, int status, byte[] body) {
    replies.put(call, new Canned(status, Bytes.wrap(body)));
    return this;
  }

  public Bench env(String name, String value) {
    environment.put(name, value);
    return this;
  }

  public Bench stdin(String text) {
    stdin = text.getBytes(StandardCharsets.UTF_8);
    return this;
  }

  /** Exit code. */
  public int run(String... args) {
    out.reset();
    err.reset();
    return Main.commands(
            new Surroundings(
                new Terminal(
                    new ByteArrayInputStream(stdin),
                    out,
                    err,
                    false,
                    false,
                    Map.copyOf(environment)),
                new OnExit(),
                InstantSource.system(),
                Pause.SLEEPING),
            args)
        .execute(args);
  }

  public String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  public byte[] outBytes() {
    return out.toByteArray();
  }

  public String err() {
    return err.toString(StandardCharsets.UTF_8);
  }

  /** {@code METHOD /path?query body} */
  public List<String> asked() {
    return asked;
  }

  private void answer(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    asked.add((exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + body).strip());
    Canned canned =
        replies.getOrDefault(
            exchange.getRequestMethod() + " " + exchange.getRequestURI().getPath(),
            new Canned(
                404,
                Bytes.utf8(
                    "{\"error\": {\"code\": \"not_found\", \"message\": \"nothing here\"}}")));
    byte[] bytes = canned.body().toArray();
    exchange.sendResponseHeaders(canned.status(), bytes.length == 0 ? -1 : bytes.length);
    if (bytes.length > 0) {
      exchange.getResponseBody().write(bytes);
    }
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
