// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Json;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.HttpPrologue;
import io.helidon.http.WritableHeaders;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.http1.spi.Http1Upgrader;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.websocket.WsConnection;
import io.helidon.websocket.WsListener;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Turns requests into WebSockets (RFC 6455). What is refused gets an ordinary error reply, before
 * any upgrade; a path that has no WebSocket stays with HTTP.
 */
final class WebSockets implements Http1Upgrader {
  private static final HeaderName KEY = HeaderNames.create("Sec-WebSocket-Key");
  private static final HeaderName VERSION = HeaderNames.create("Sec-WebSocket-Version");
  private static final int SWITCHED = 101;
  private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

  /** One kind of WebSocket. */
  interface Route {
    /** {@code METHOD /path}, for the metrics. */
    String name();

    /**
     * What speaks on it from now on, the reply being sent; empty when the path is not one of its
     * own. Errors refuse the upgrade.
     */
    Optional<ServerConnection> open(Upgrade upgrade) throws InterruptedException;
  }

  /** Closed once, when the connection is gone, however it went. */
  interface Socket extends WsListener, AutoCloseable {
    @Override
    void close();
  }

  private final Gate gate;
  private final List<Route> routes;

  WebSockets(Gate gate, List<Route> routes) {
    this.gate = gate;
    this.routes = routes;
  }

  /** A call of a WebSocket's path without an upgrade. */
  static DsecException plain(Exchange exchange, String hint) {
    return DsecException.of(
            ErrorCode.INVALID_REQUEST, exchange.describe() + " is a WebSocket; ask for an upgrade")
        .withHint(hint);
  }

  @Override
  public String supportedProtocol() {
    return "websocket";
  }

  @Override
  public @Nullable ServerConnection upgrade(
      ConnectionContext context, HttpPrologue prologue, WritableHeaders<?> headers) {
    Upgrade upgrade = new Upgrade(context, prologue, headers, gate);
    for (Route route : routes) {
      Optional<ServerConnection> opened = open(route, upgrade);
      if (opened.isPresent()) {
        long begin = System.nanoTime();
        return new ClosingConnection(
            opened.get(), () -> gate.count(route.name(), SWITCHED, System.nanoTime() - begin));
      }
    }
    return null;
  }

  private Optional<ServerConnection> open(Route route, Upgrade upgrade) {
    try {
      return route.open(upgrade);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new CloseConnectionException("interrupted");
    } catch (CloseConnectionException e) {
      throw e;
    } catch (DsecException e) {
      throw refuse(route, upgrade, e);
    } catch (RuntimeException e) {
      throw refuse(route, upgrade, ErrorReply.unforeseen(e));
    }
  }

  /**
   * The key of a handshake that {@link #accept} will take; to be asked for before anything is done.
   */
  static String key(Upgrade upgrade) {
    String key = upgrade.headers().first(KEY).orElse("");
    if (!key.matches("[A-Za-z0-9+/]{22}==")
        || !upgrade.headers().first(VERSION).orElse("").equals("13")) {
      throw DsecException.of(
          ErrorCode.INVALID_REQUEST, "the request asks for no WebSocket of version 13");
    }
    return key;
  }

  /** Completes the handshake for one that speaks the frames itself. */
  static ServerConnection accept(Upgrade upgrade, String key, Socket socket) {
    boolean accepted = false;
    try {
      String reply =
          "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
              + "Sec-WebSocket-Accept: %s\r\nX-Request-Id: %s\r\n\r\n"
                  .formatted(proof(key), upgrade.id());
      upgrade.write(reply.getBytes(StandardCharsets.US_ASCII));
      ServerConnection connection =
          new ClosingConnection(
              WsConnection.create(
                  upgrade.context(), upgrade.prologue(), upgrade.headers(), key, socket),
              socket::close);
      accepted = true;
      return connection;
    } finally {
      if (!accepted) {
        socket.close();
      }
    }
  }

  private static String proof(String key) {
    try {
      byte[] text = (key + GUID).getBytes(StandardCharsets.US_ASCII);
      return Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-1").digest(text));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("this Java has no SHA-1", e);
    }
  }

  private CloseConnectionException refuse(Route route, Upgrade upgrade, DsecException error) {
    gate.count(route.name(), error.code().status(), System.nanoTime() - upgrade.begin());
    Gate.log(upgrade.id(), upgrade.path(), error);
    byte[] body = Json.mapper().writeValueAsBytes(ErrorReply.of(error, upgrade.id()));
    StringBuilder head = new StringBuilder();
    head.append("HTTP/1.1 ").append(error.code().status()).append(" Refused\r\n");
    head.append("Content-Type: application/json\r\nConnection: close\r\n");
    head.append("X-Request-Id: ").append(upgrade.id()).append("\r\n");
    head.append("Dsec-Error: ").append(error.code().code()).append("\r\n");
    if (error.code() == ErrorCode.UNAUTHORIZED) {
      head.append("WWW-Authenticate: Bearer\r\n");
    }
    ErrorReply.retryAfter(error)
        .ifPresent(v -> head.append("Retry-After: ").append(v).append("\r\n"));
    head.append("Content-Length: ").append(body.length).append("\r\n\r\n");
    upgrade.write(head.toString().getBytes(StandardCharsets.US_ASCII));
    upgrade.write(body);
    return new CloseConnectionException("the upgrade was refused");
  }
}
