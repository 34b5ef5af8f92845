// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Duplex;
import io.dsec.model.DsecException;
import io.dsec.model.SandboxId;
import io.dsec.server.exec.Execs;
import io.dsec.server.port.HttpBody;
import io.dsec.server.port.HttpHead;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
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
    AtomicBoolean gone = new AtomicBoolean();
    try (ClientWatch.Watch watch =
        ClientWatch.CURRENT
            .get()
            .watch(
                timer,
                () -> {
                  gone.set(true);
                  inside.close();
                })) {
      Thread sender =
          Thread.ofVirtual().start(() -> send(request, inside.output(), port, exchange, watch));
      InputStream in = new BufferedInputStream(inside.input());
      answer(exchange, new PortReply(port, timer).await(inside, in, false), in);
      if (sender.isAlive()) {
        inside.close(); // it answered without reading all: what is left is nobody's
      }
    } catch (IOException | DsecException e) {
      if (!gone.get()) {
        throw e;
      }
      ServerResponse _ = exchange.begin(CLIENT_GONE);
      throw new CloseConnectionException("the client is gone", e);
    }
  }

  private static void send(
      ServerRequest request,
      OutputStream out,
      int port,
      Exchange exchange,
      ClientWatch.Watch watch) {
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
      watch.begin();
    } catch (IOException | RuntimeException e) {
      LOG.debug("{}: a request to port {} broke off: {}", exchange.id(), port, e.toString());
      // its server sees that in the missing rest, and the reply tells what comes of it
    }
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
