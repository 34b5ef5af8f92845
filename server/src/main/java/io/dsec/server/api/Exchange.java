// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Json;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.SandboxId;
import io.dsec.server.tenant.Caller;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.HeaderValues;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** One request and its reply. */
final class Exchange {
  static final String JSON = "application/json";
  static final String NDJSON = "application/x-ndjson";
  static final String EXEC = "application/vnd.dsec.exec";
  static final String BYTES = "application/octet-stream";

  private final ServerRequest request;
  private final ServerResponse response;
  private final String id;
  private final Caller caller;
  private final long maxBody;
  private boolean replied;
  private boolean last;

  Exchange(ServerRequest request, ServerResponse response, String id, Caller caller, long maxBody) {
    this.request = request;
    this.response = response;
    this.id = id;
    this.caller = caller;
    this.maxBody = maxBody;
  }

  String id() {
    return id;
  }

  Caller caller() {
    return caller;
  }

  String path(String name) {
    return request.path().pathParameters().get(name);
  }

  SandboxId sandboxId() {
    return sandboxId(path("id"));
  }

  static SandboxId sandboxId(String text) {
    try {
      return new SandboxId(text);
    } catch (DsecException _) {
      throw DsecException.notFound("sandbox", text);
    }
  }

  /** Method and path as the client wrote them. */
  String describe() {
    return request.prologue().method().text() + " " + request.path().rawPath();
  }

  Optional<String> query(String name) {
    return request.query().contains(name)
        ? Optional.of(request.query().get(name))
        : Optional.empty();
  }

  /** As {@link #query}, still percent-encoded. */
  Optional<String> rawQuery(String name) {
    for (String pair : request.query().rawValue().split("&")) {
      int equals = pair.indexOf('=');
      if (equals >= 0 && pair.substring(0, equals).equals(name)) {
        return Optional.of(pair.substring(equals + 1));
      }
    }
    return Optional.empty();
  }

  List<String> queries(String name) {
    return request.query().contains(name) ? request.query().all(name) : List.of();
  }

  boolean flag(String name) {
    return query(name).filter(v -> v.isEmpty() || v.equals("true") || v.equals("1")).isPresent();
  }

  /**
   * Whether a paused sandbox is resumed for this call; unless {@code ?resume=false} says not to.
   */
  boolean mayResume() {
    return query("resume").filter(v -> v.equals("false") || v.equals("0")).isEmpty();
  }

  /** A whole number of the query, within bounds. */
  long number(String name, long byDefault, long max) {
    Optional<String> text = query(name);
    if (text.isEmpty()) {
      return byDefault;
    }
    try {
      long value = Long.parseLong(text.get());
      if (value >= 0 && value <= max) {
        return value;
      }
    } catch (NumberFormatException _) {
      // told below
    }
    throw DsecException.invalid(
        name, "%s is \"%s\"; it must be from 0 to %d".formatted(name, text.get(), max));
  }

  Optional<String> header(HeaderName name) {
    return request.headers().first(name);
  }

  boolean accepts(String type) {
    return header(HeaderNames.ACCEPT).filter(a -> a.contains(type)).isPresent();
  }

  /** The whole body; {@code too_large} beyond the limit. */
  byte[] body() throws IOException {
    OptionalLong length = request.headers().contentLength();
    if (length.isPresent() && length.getAsLong() > maxBody) {
      throw tooLarge();
    }
    if (!request.content().hasEntity()) {
      return new byte[0];
    }
    try (InputStream in = request.content().inputStream()) {
      byte[] body = in.readNBytes((int) Math.min(maxBody + 1, Integer.MAX_VALUE - 8));
      if (body.length > maxBody) {
        throw tooLarge();
      }
      return body;
    }
  }

  /** The body as it comes, of any length. */
  InputStream bodyStream() {
    return request.content().hasEntity()
        ? request.content().inputStream()
        : InputStream.nullInputStream();
  }

  /** As {@link #bodyStream}; one that ends before the length it announced is an error. */
  InputStream exactBodyStream() {
    OptionalLong length = request.headers().contentLength();
    InputStream body = bodyStream();
    return length.isPresent() ? new ExactInput(body, length.getAsLong()) : body;
  }

  /** An empty body counts as {@code {}}. */
  <T> T optionalBody(Class<T> type) throws IOException {
    byte[] body = body();
    return Bodies.read(body.length == 0 ? new byte[] {'{', '}'} : body, type);
  }

  void reply(int status, Object value) {
    bytes(status, JSON, Json.mapper().writeValueAsBytes(value));
  }

  void bytes(int status, String type, byte[] body) {
    replied = true;
    response.status(status);
    response.header("Content-Type", type);
    response.header("X-Request-Id", id);
    response.send(body);
  }

  void noContent() {
    replied = true;
    response.status(204);
    response.header("X-Request-Id", id);
    response.send();
  }

  /** For a reply that is another server's. */
  ServerRequest request() {
    return request;
  }

  ServerResponse begin(int status) {
    replied = true;
    response.status(status);
    return response;
  }

  void replyHeader(String name, String value) {
    response.header(name, value);
  }

  /** The answer to HEAD: {@code length} is what GET would send. */
  void headOnly(OptionalLong length) {
    replied = true;
    response.status(200);
    response.header("Content-Type", BYTES);
    response.header("X-Request-Id", id);
    length.ifPresent(bytes -> response.header("Content-Length", Long.toString(bytes)));
    response.send();
  }

  /** Begins a reply of unknown length. */
  OutputStream stream(String type) {
    return stream(200, type, OptionalLong.empty());
  }

  OutputStream stream(int status, String type, OptionalLong length) {
    begin(status, type, length);
    return response.outputStream();
  }

  /** Begins a reply of unknown length, in large pieces. */
  ChunkSink chunks(String type) {
    begin(200, type, OptionalLong.empty());
    return response.sink(ChunkSink.TYPE);
  }

  private void begin(int status, String type, OptionalLong length) {
    replied = true;
    response.status(status);
    response.header("Content-Type", type);
    length.ifPresent(bytes -> response.header("Content-Length", Long.toString(bytes)));
    response.header("X-Request-Id", id);
    response.header("Cache-Control", "no-store");
  }

  /**
   * What the client still sends of this request is not read: its connection ends with the reply.
   */
  void endConnection() {
    last = true;
  }

  boolean isLast() {
    return last || request.headers().contains(HeaderValues.CONNECTION_CLOSE);
  }

  boolean replied() {
    return replied;
  }

  int status() {
    return response.status().code();
  }

  private DsecException tooLarge() {
    return DsecException.of(
        ErrorCode.TOO_LARGE, "the body is larger than %d bytes".formatted(maxBody));
  }
}
