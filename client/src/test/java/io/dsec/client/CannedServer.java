// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;

/** Answers requests, in order, with bytes that were prepared; keeps what was asked. */
final class CannedServer implements AutoCloseable {
  /**
   * @param text {@code METHOD path body}
   */
  record Asked(String text, Map<String, List<String>> headers) {}

  @SuppressWarnings("ArrayRecordComponent")
  private record Canned(int status, String type, Map<String, String> headers, byte[] body) {}

  private static final byte[] NONE_LEFT = "none left".getBytes(StandardCharsets.US_ASCII);

  private final HttpServer server;
  private final Deque<Canned> replies = new ArrayDeque<>();
  private final List<Asked> asked = Collections.synchronizedList(new ArrayList<>());

  CannedServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::answer);
    server.start();
  }

  CannedServer json(int status, String body) {
    return reply(status, "application/json", Map.of(), body);
  }

  CannedServer reply(int status, String type, Map<String, String> headers, String body) {
    return reply(status, type, headers, body.getBytes(StandardCharsets.UTF_8));
  }

  CannedServer reply(int status, String type, Map<String, String> headers, byte[] body) {
    synchronized (replies) {
      replies.add(new Canned(status, type, headers, body));
    }
    return this;
  }

  List<Asked> asked() {
    return asked;
  }

  DsecClient client() {
    return new DsecClient(new Endpoint(url(), "k-1"));
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  private void answer(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    asked.add(
        new Asked(
            (exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + body).strip(),
            Map.copyOf(exchange.getRequestHeaders())));
    Canned canned;
    synchronized (replies) {
      canned =
          replies.isEmpty() ? new Canned(500, "text/plain", Map.of(), NONE_LEFT) : replies.poll();
    }
    byte[] bytes = canned.body();
    exchange.getResponseHeaders().set("Content-Type", canned.type());
    canned.headers().forEach(exchange.getResponseHeaders()::set);
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
