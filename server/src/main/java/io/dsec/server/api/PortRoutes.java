// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Duplex;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.SandboxId;
import io.dsec.server.exec.Execs;
import io.dsec.server.port.HttpBody;
import io.dsec.server.port.HttpHead;
import io.helidon.http.Header;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code ANY /sandboxes/{id}/ports/{port}/…}: HTTP with a server inside. One connection inside per
 * request; bodies go both ways as they come, each at the pace of its reader.
 */
final class PortRoutes {
  private static final Logger LOG = LoggerFactory.getLogger(PortRoutes.class);
  private static final Duration TO_ANSWER = Duration.ofMinutes(5);
  private static final int MOST_INTERIM = 8;

  /** What is meant for us, and what only we may say. */
  private static final Set<String> OURS =
      Set.of("authorization", "host", "expect", "content-length", "dsec-no-resume");

  private final Execs execs;
  private final ScheduledExecutorService timer;

  PortRoutes(Execs execs, ScheduledExecutorService timer) {
    this.execs = execs;
    this.timer = timer;
  }

  static int port(String text) {
    if (!text.matches("[0-9]{1,5}")
        || Integer.parseInt(text) < 1
        || Integer.parseInt(text) > 65_535) {
      throw DsecException.invalid(
          "port", "port is \"%s\"; it must be from 1 to 65535".formatted(text));
    }
    return Integer.parseInt(text);
  }

  void any(Exchange exchange) throws IOException, InterruptedException {
    SandboxId id = exchange.sandboxId();
    int port = port(exchange.path("port"));
    boolean mayResume = exchange.request().headers().first(PortHeaders.RESUME).isEmpty();
    try (Duplex inside = execs.connect(exchange.caller(), id, mayResume, port)) {
      talk(exchange, inside, port);
    }
  }

  private void talk(Exchange exchange, Duplex inside, int port) throws IOException {
    ServerRequest request = exchange.request();
    AtomicBoolean late = new AtomicBoolean();
    Future<?> alarm =
        timer.schedule(
            () -> {
              late.set(true);
              inside.close();
            },
            TO_ANSWER.toNanos(),
            TimeUnit.NANOSECONDS);
    Thread sender = Thread.ofVirtual().start(() -> send(request, inside.output(), port, exchange));
    InputStream in = new BufferedInputStream(inside.input());
    HttpHead reply;
    try {
      reply = finalHead(in);
    } catch (IOException e) {
      throw (late.get()
              ? DsecException.of(
                  ErrorCode.TIMEOUT,
                  "the server on port %d did not answer within %d s"
                      .formatted(port, TO_ANSWER.toSeconds()))
              : DsecException.of(
                  ErrorCode.BAD_GATEWAY,
                  "the server on port %d closed the connection without an answer".formatted(port)))
          .withField("port")
          .withCause(e);
    } finally {
      alarm.cancel(false);
    }
    answer(exchange, reply, in);
    if (sender.isAlive()) {
      inside.close(); // it answered without reading all: what is left is nobody's
    }
  }

  private static HttpHead finalHead(InputStream in) throws IOException {
    for (int i = 0; i < MOST_INTERIM; i++) {
      HttpHead head = HttpHead.read(in);
      int status = head.status();
      if (status == 101) {
        break;
      }
      if (status >= 200) {
        return head;
      }
    }
    throw new EOFException("no final answer");
  }

  private static void send(ServerRequest request, OutputStream out, int port, Exchange exchange) {
    try {
      OptionalLong length = request.headers().contentLength();
      boolean body = request.content().hasEntity();
      out.write(head(request, port, body, length).bytes());
      out.flush();
      if (body && length.isPresent()) {
        HttpBody.copy(request.content().inputStream(), out);
      } else if (body) {
        HttpBody.copyChunked(request.content().inputStream(), out);
      }
    } catch (IOException | RuntimeException e) {
      LOG.debug("{}: a request to port {} broke off: {}", exchange.id(), port, e.toString());
      // its server sees that in the missing rest, and the reply tells what comes of it
    }
  }

  private static HttpHead head(ServerRequest request, int port, boolean body, OptionalLong length) {
    List<HttpHead.Field> came = new ArrayList<>();
    for (Header header : request.headers()) {
      for (String value : header.allValues()) {
        came.add(new HttpHead.Field(header.name(), value));
      }
    }
    List<HttpHead.Field> fields = new ArrayList<>();
    fields.add(new HttpHead.Field("Host", "localhost:" + port));
    for (HttpHead.Field field : new HttpHead("", came).endToEnd()) {
      String name = field.name().toLowerCase(Locale.ROOT);
      if (!OURS.contains(name) && !name.startsWith("x-forwarded-")) {
        fields.add(field);
      }
    }
    PortHeaders.forwarded(
        fields, request.authority(), request.remotePeer().host(), prefix(request));
    fields.add(new HttpHead.Field("Connection", "close"));
    if (body) {
      fields.add(
          length.isPresent()
              ? new HttpHead.Field("Content-Length", Long.toString(length.getAsLong()))
              : new HttpHead.Field("Transfer-Encoding", "chunked"));
    } else if (length.isPresent()) {
      fields.add(new HttpHead.Field("Content-Length", "0"));
    }
    return new HttpHead(
        request.prologue().method().text() + " " + target(request) + " HTTP/1.1", fields);
  }

  /** {@code /v1/sandboxes/ID/ports/PORT} of a path that goes on behind it. */
  static String prefix(ServerRequest request) {
    return PortHeaders.prefix(request.path().rawPath());
  }

  private static String target(ServerRequest request) {
    return PortHeaders.target(request.path().rawPath(), request.query().rawValue());
  }

  private static void answer(Exchange exchange, HttpHead reply, InputStream in) throws IOException {
    int status = reply.status();
    boolean head = exchange.request().prologue().method().text().equals("HEAD");
    boolean empty = head || status == 204 || status == 304;
    OptionalLong length = HttpBody.length(reply);
    ServerResponse response = exchange.begin(status);
    for (HttpHead.Field field : reply.endToEnd()) {
      if (!field.is("content-length") && !field.is("dsec-error")) { // only we may say that one
        response.headers().add(io.helidon.http.HeaderValues.create(field.name(), field.value()));
      }
    }
    if (head && length.isPresent()) {
      response.header("Content-Length", Long.toString(length.getAsLong()));
    }
    if (empty) {
      response.send();
      return;
    }
    length.ifPresent(bytes -> response.header("Content-Length", Long.toString(bytes)));
    try (OutputStream out = response.outputStream()) {
      HttpBody.copy(HttpBody.of(reply, in), out);
    }
  }
}
