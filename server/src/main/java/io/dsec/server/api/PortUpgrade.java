// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Duplex;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.SandboxId;
import io.dsec.server.exec.Execs;
import io.dsec.server.port.HttpBody;
import io.dsec.server.port.HttpHead;
import io.dsec.server.tenant.Caller;
import io.helidon.http.HeaderNames;
import io.helidon.http.HttpPrologue;
import io.helidon.http.Method;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.spi.ServerConnection;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
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
  private final ScheduledExecutorService timer;

  PortUpgrade(Execs execs, ScheduledExecutorService timer) {
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
    Duplex inside = execs.connect(caller, id, mayResume, port);
    boolean joined = false;
    try {
      InputStream in = new BufferedInputStream(inside.input());
      HttpHead reply = handshake(upgrade, inside, in, port);
      if (reply.status() != 101) {
        throw passOn(upgrade, reply, in);
      }
      upgrade.write(head(reply, FRAMING).bytes());
      joined = true;
      return Optional.of(new PortTunnel(upgrade.context(), inside, in, timer));
    } catch (IOException e) {
      throw new CloseConnectionException("the reply of the server inside broke off", e);
    } finally {
      if (!joined) {
        inside.close();
      }
    }
  }

  private HttpHead handshake(Upgrade upgrade, Duplex inside, InputStream in, int port) {
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
      watch.begin();
      inside.output().write(request(upgrade, port).bytes());
      inside.output().flush();
      return new PortReply(port, timer).await(inside, in, true);
    } catch (IOException | DsecException e) {
      if (gone.get()) {
        throw new CloseConnectionException("the client is gone", e);
      }
      throw e instanceof DsecException told
          ? told
          : DsecException.of(
                  ErrorCode.BAD_GATEWAY,
                  "the server on port %d closed the connection without an answer".formatted(port))
              .withField("port")
              .withCause(e);
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
  private static CloseConnectionException passOn(Upgrade upgrade, HttpHead reply, InputStream in)
      throws IOException {
    List<HttpHead.Field> framing = new ArrayList<>();
    framing.add(new HttpHead.Field("Connection", "close"));
    HttpBody.length(reply)
        .ifPresent(n -> framing.add(new HttpHead.Field("Content-Length", Long.toString(n))));
    upgrade.write(head(reply, framing).bytes());
    if (reply.status() != 204 && reply.status() != 304) {
      InputStream body = HttpBody.of(reply, in);
      byte[] piece = new byte[16 << 10];
      for (int n = body.read(piece); n >= 0; n = body.read(piece)) {
        upgrade.write(java.util.Arrays.copyOf(piece, n));
      }
    }
    return new CloseConnectionException("the server inside refused the upgrade");
  }
}
