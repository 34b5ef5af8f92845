// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.DsecException;
import io.dsec.model.SandboxId;
import io.dsec.server.exec.Execs;
import io.dsec.server.port.HttpBody;
import io.dsec.server.port.HttpHead;
import io.dsec.server.time.Timer;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * {@code ANY /sandboxes/{id}/ports/{port}/…}: HTTP with a server inside. One connection inside per
 * request; bodies go both ways as they come, each at the pace of its reader.
 */
final class PortRoutes {
  private static final Logger LOG = LoggerFactory.getLogger(PortRoutes.class);

  /** For the metrics alone: nobody gets it. */
  private static final int CLIENT_GONE = 499;

  /** What reads the client's body: it waits for more of it at most this long. */
  private static final Duration TO_STOP = Duration.ofSeconds(1);

  private final Execs execs;
  private final Timer timer;

  PortRoutes(Execs execs, Timer timer) {
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
    try (PortCall call =
        new PortCall(execs.connect(exchange.caller(), id, mayResume, port), port, timer)) {
      talk(exchange, call);
    }
  }

  private static void talk(Exchange exchange, PortCall call)
      throws IOException, InterruptedException {
    Thread sender = Thread.ofVirtual().start(() -> send(exchange, call));
    try {
      answer(exchange, call.reply(false), call.input());
    } catch (IOException | DsecException e) {
      if (!call.gone()) {
        throw e;
      }
      ServerResponse _ = exchange.begin(CLIENT_GONE);
      throw new CloseConnectionException("the client is gone", e);
    } finally {
      call.close(); // it may have answered without reading all: what is left is nobody's
      if (!sender.join(TO_STOP)) {
        exchange.endConnection(); // the rest of this body would be read as the next request
      }
    }
  }

  private static void send(Exchange exchange, PortCall call) {
    ServerRequest request = exchange.request();
    OutputStream out = call.output();
    try {
      OptionalLong length = request.headers().contentLength();
      boolean body = request.content().hasEntity();
      out.write(head(request, call.port(), body, length).bytes());
      out.flush();
      if (body && length.isPresent()) {
        HttpBody.copy(body(exchange, call), out);
      } else if (body) {
        HttpBody.copyChunked(body(exchange, call), out);
      }
      call.watch();
    } catch (IOException | RuntimeException e) {
      LOG.debug("{}: a request to port {} broke off: {}", exchange.id(), call.port(), e.toString());
      // where it is the server that reads no more, its reply tells what comes of it
    }
  }

  /** A client that does not send all of it has left. */
  private static InputStream body(Exchange exchange, PortCall call) {
    return new FilterInputStream(exchange.exactBodyStream()) {
      @Override
      public int read(byte[] into, int from, int count) throws IOException {
        try {
          return super.read(into, from, count);
        } catch (IOException | RuntimeException e) {
          call.leave();
          throw e;
        }
      }
    };
  }

  private static HttpHead head(ServerRequest request, int port, boolean body, OptionalLong length) {
    List<HttpHead.Field> framing = new ArrayList<>();
    framing.add(new HttpHead.Field("Connection", "close"));
    if (body) {
      framing.add(
          length.isPresent()
              ? new HttpHead.Field("Content-Length", Long.toString(length.getAsLong()))
              : new HttpHead.Field("Transfer-Encoding", "chunked"));
    } else if (length.isPresent()) {
      framing.add(new HttpHead.Field("Content-Length", "0"));
    }
    String path = request.path().rawPath();
    return PortHeaders.request(
        "%s %s HTTP/1.1"
            .formatted(
                request.prologue().method().text(),
                PortHeaders.target(path, request.query().rawValue())),
        request.headers(),
        port,
        new PortHeaders.Origin(request.remotePeer().host(), request.authority(), path),
        framing);
  }

  private static void answer(Exchange exchange, HttpHead reply, InputStream in) throws IOException {
    int status = reply.status();
    boolean head = exchange.request().prologue().method().text().equals("HEAD");
    boolean empty = head || status == 204 || status == 304;
    OptionalLong length = HttpBody.length(reply);
    ServerResponse response = exchange.begin(status);
    for (HttpHead.Field field : PortHeaders.passedOn(reply)) {
      response.headers().add(io.helidon.http.HeaderValues.create(field.name(), field.value()));
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
