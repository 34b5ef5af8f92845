// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Requests and replies of one server over kept-alive HTTP/1.1 connections. */
final class Transport implements AutoCloseable {
  static final String NDJSON = "application/x-ndjson";
  private static final Duration CONNECT = Duration.ofSeconds(5);

  static {
    // Java's client reads 16 KiB at a time unless told otherwise before its first use; with more, a
    // long stream takes it a third less processor time.
    if (System.getProperty("jdk.httpclient.bufsize") == null) {
      System.setProperty("jdk.httpclient.bufsize", Integer.toString(128 << 10));
    }
  }

  private final Endpoint endpoint;
  private final HttpClient http;
  private @Nullable HttpClient sockets;

  Transport(Endpoint endpoint) {
    this.endpoint = endpoint;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .executor(Runnable::run) // nothing here blocks: spares each buffer a change of thread
            .connectTimeout(CONNECT);
    if ("http".equals(endpoint.url().getScheme())) {
      builder.sslContext(new NoTls());
    }
    this.http = builder.build();
  }

  Endpoint endpoint() {
    return endpoint;
  }

  /**
   * One call with a JSON reply; an empty reply is the missing node.
   *
   * @param limit for the whole call; null waits for as long as the server does
   */
  JsonNode json(String method, String path, @Nullable Object body, @Nullable Duration limit) {
    Reply reply = exchange(method, path, body, limit);
    return reply.body();
  }

  /** A reply with its status, for calls where more than one means success. */
  record Reply(int status, JsonNode body) {}

  Reply exchange(String method, String path, @Nullable Object body, @Nullable Duration limit) {
    HttpRequest request = request(method, path, body, Map.of("Accept", "application/json"), limit);
    return parsed(send(request, BodyHandlers.ofByteArray()), request);
  }

  private Reply parsed(HttpResponse<byte[]> reply, HttpRequest request) {
    if (reply.statusCode() >= 300) {
      throw ApiErrors.of(reply.statusCode(), reply.headers(), reply.body(), call(request));
    }
    if (reply.body().length == 0) {
      return new Reply(reply.statusCode(), Replies.mapper().missingNode());
    }
    try {
      return new Reply(reply.statusCode(), Replies.mapper().readTree(reply.body()));
    } catch (JacksonException e) {
      throw DsecException.of(
              ErrorCode.INTERNAL,
              "%s was answered by %s with something that is no JSON: %s"
                  .formatted(call(request), endpoint.url(), e.getOriginalMessage()))
          .withCause(e);
    }
  }

  /** Sends a body as it comes, of any length; a JSON reply. */
  JsonNode upload(String method, String path, InputStream body) {
    return upload(method, path, body, -1);
  }

  /** {@code length}: of the body; negative when it is not known. */
  JsonNode upload(String method, String path, InputStream body, long length) {
    HttpRequest.BodyPublisher content = BodyPublishers.ofInputStream(() -> body);
    if (length == 0) {
      content = BodyPublishers.noBody();
    } else if (length > 0) {
      content = BodyPublishers.fromPublisher(content, length);
    }
    HttpRequest request =
        builder(path, Map.of("Accept", "application/json"), null)
            .setHeader("Content-Type", "application/octet-stream")
            .method(method, content)
            .build();
    return parsed(send(request, BodyHandlers.ofByteArray()), request).body();
  }

  /** A reply read as it comes; the caller closes it. */
  InputStream stream(
      String method, String path, @Nullable Object body, Map<String, String> headers) {
    HttpRequest request = request(method, path, body, headers, null);
    HttpResponse<InputStream> reply = send(request, BodyHandlers.ofInputStream());
    if (reply.statusCode() < 300) {
      return reply.body();
    }
    try (InputStream in = reply.body()) {
      throw ApiErrors.of(
          reply.statusCode(), reply.headers(), in.readNBytes(1 << 20), call(request));
    } catch (IOException e) {
      throw new LostConnectionException(endpoint.url(), call(request), e);
    }
  }

  /** Opens a WebSocket; a refused upgrade is the error that the server had. */
  WebSocket webSocket(String path, WebSocket.Listener listener) {
    String call = "GET " + path.replaceFirst("\\?.*", "");
    WebSocket.Builder builder = sockets().newWebSocketBuilder().connectTimeout(CONNECT);
    if (endpoint.key() != null) {
      builder.header("Authorization", "Bearer " + endpoint.key());
    }
    String url = endpoint.url().toString().replaceFirst("^http", "ws") + path;
    try {
      return builder.buildAsync(URI.create(url), listener).join();
    } catch (CompletionException e) {
      switch (e.getCause()) {
        case WebSocketHandshakeException refused -> {
          HttpResponse<?> reply = refused.getResponse();
          String body = reply.body() == null ? "" : reply.body().toString();
          throw ApiErrors.of(
              reply.statusCode(), reply.headers(), body.getBytes(StandardCharsets.UTF_8), call);
        }
        case ConnectException refused -> throw new NoServerException(endpoint.url(), refused);
        case IOException broken -> throw new LostConnectionException(endpoint.url(), call, broken);
        case null, default -> throw e;
      }
    }
  }

  /** Listeners of WebSockets may block, so they get threads of their own. */
  private synchronized HttpClient sockets() {
    if (sockets == null) {
      HttpClient.Builder builder =
          HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).connectTimeout(CONNECT);
      if ("http".equals(endpoint.url().getScheme())) {
        builder.sslContext(new NoTls());
      }
      sockets = builder.executor(Executors.newVirtualThreadPerTaskExecutor()).build();
    }
    return sockets;
  }

  LostConnectionException lost(String call, IOException cause) {
    return new LostConnectionException(endpoint.url(), call, cause);
  }

  private HttpRequest request(
      String method,
      String path,
      @Nullable Object body,
      Map<String, String> headers,
      @Nullable Duration limit) {
    HttpRequest.Builder builder = builder(path, headers, limit);
    if (body == null) {
      return builder.method(method, BodyPublishers.noBody()).build();
    }
    return builder
        .setHeader("Content-Type", "application/json")
        .method(method, BodyPublishers.ofByteArray(Replies.mapper().writeValueAsBytes(body)))
        .build();
  }

  private HttpRequest.Builder builder(
      String path, Map<String, String> headers, @Nullable Duration limit) {
    HttpRequest.Builder builder = HttpRequest.newBuilder(URI.create(endpoint.url() + path));
    if (endpoint.key() != null) {
      builder.setHeader("Authorization", "Bearer " + endpoint.key());
    }
    headers.forEach(builder::setHeader);
    if (limit != null) {
      builder.timeout(limit);
    }
    return builder;
  }

  private <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
    try {
      return http.send(request, handler);
    } catch (ConnectException | HttpConnectTimeoutException e) {
      throw new NoServerException(endpoint.url(), e);
    } catch (IOException e) {
      throw new LostConnectionException(endpoint.url(), call(request), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new LostConnectionException(endpoint.url(), call(request), e);
    }
  }

  private static String call(HttpRequest request) {
    return request.method() + " " + request.uri().getPath();
  }

  /** Drops open connections at once: a server that still answers is not waited for. */
  @Override
  public synchronized void close() {
    http.shutdownNow();
    if (sockets != null) {
      sockets.shutdownNow();
    }
  }
}
