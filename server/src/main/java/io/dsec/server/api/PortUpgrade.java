// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.DsecException;
import io.dsec.model.SandboxId;
import io.dsec.server.exec.Execs;
import io.dsec.server.port.HttpBody;
import io.dsec.server.port.HttpHead;
import io.dsec.server.tenant.Caller;
import io.dsec.server.time.Timer;
import io.helidon.http.HeaderNames;
import io.helidon.http.HttpPrologue;
import io.helidon.http.Method;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.spi.ServerConnection;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;

/**
 * {@code GET /sandboxes/{id}/ports/{port}/…} with an upgrade: a WebSocket of a server inside. The
 * handshake is passed on both ways; what follows are its bytes, which nobody here looks into.
 */
final class PortUpgrade implements WebSockets.Route {
  private static final List<HttpHead.Field> FRAMING =
      List.of(
          new HttpHead.Field("Connection", "Upgrade"), new HttpHead.Field("Upgrade", "websocket"));

  private final Execs execs;
  private final Timer timer;

  PortUpgrade(Execs execs, Timer timer) {
    this.execs = execs;
    this.timer = timer;
  }

  @Override
  public String name() {
    return "GET /v1/sandboxes/{id}/ports/{port}/{+rest}";
  }

  @Override
  public Optional<ServerConnection> open(Upgrade upgrade) throws InterruptedException {
    Matcher path = PortHeaders.PATH.matcher(upgrade.prologue().uriPath().rawPath());
    if (!path.matches() || !upgrade.prologue().method().equals(Method.GET)) {
      return Optional.empty();
    }
    Caller caller = upgrade.caller();
    SandboxId id = Exchange.sandboxId(path.group(2));
    int port = PortRoutes.port(path.group(3));
    boolean mayResume = upgrade.headers().first(PortHeaders.RESUME).isEmpty();
    try (PortCall call = new PortCall(execs.connect(caller, id, mayResume, port), port, timer)) {
      call.watch();
      HttpHead reply = handshake(call, request(upgrade, port));
      if (reply.status() != 101) {
        throw passOn(upgrade, reply, call.input());
      }
      upgrade.write(head(reply, FRAMING).bytes());
      return Optional.of(new PortTunnel(upgrade.context(), call.release(), call.input(), timer));
    }
  }

  private static HttpHead handshake(PortCall call, HttpHead request) {
    try {
      call.output().write(request.bytes());
      call.output().flush();
      return call.reply(true);
    } catch (IOException | DsecException e) {
      if (call.gone()) {
        throw new CloseConnectionException("the client is gone", e);
      }
      throw e instanceof IOException broken ? call.unanswered(broken) : (DsecException) e;
    }
  }

  private static HttpHead request(Upgrade upgrade, int port) {
    HttpPrologue prologue = upgrade.prologue();
    String path = prologue.uriPath().rawPath();
    return PortHeaders.request(
        "GET %s HTTP/1.1".formatted(PortHeaders.target(path, prologue.query().rawValue())),
        upgrade.headers(),
        port,
        new PortHeaders.Origin(
            upgrade.context().remotePeer().host(),
            upgrade.headers().first(HeaderNames.HOST).orElse(""),
            path),
        FRAMING);
  }

  private static HttpHead head(HttpHead reply, List<HttpHead.Field> framing) {
    List<HttpHead.Field> fields = new ArrayList<>(PortHeaders.passedOn(reply));
    fields.addAll(framing);
    return new HttpHead(reply.first().replaceFirst("^HTTP/1\\.\\d", "HTTP/1.1"), fields);
  }

  /** The server inside did not want to: its answer, and the end of the connection. */
  private static CloseConnectionException passOn(Upgrade upgrade, HttpHead reply, InputStream in) {
    List<HttpHead.Field> framing = new ArrayList<>();
    framing.add(new HttpHead.Field("Connection", "close"));
    HttpBody.length(reply)
        .ifPresent(n -> framing.add(new HttpHead.Field("Content-Length", Long.toString(n))));
    upgrade.write(head(reply, framing).bytes());
    try {
      if (reply.status() != 204 && reply.status() != 304) {
        InputStream body = HttpBody.of(reply, in);
        byte[] piece = new byte[16 << 10];
        for (int n = body.read(piece); n >= 0; n = body.read(piece)) {
          upgrade.write(Arrays.copyOf(piece, n));
        }
      }
    } catch (IOException | DsecException e) {
      return new CloseConnectionException("the reply of the server inside broke off", e);
    }
    return new CloseConnectionException("the server inside refused the upgrade");
  }
}
