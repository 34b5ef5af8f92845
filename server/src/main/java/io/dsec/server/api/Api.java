// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.server.exec.Presence;
import io.dsec.server.time.Timer;
import io.helidon.common.socket.SocketOptions;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http1.Http1ConnectionSelector;
import io.helidon.webserver.websocket.WsConfig;
import java.time.Duration;
import java.util.List;
import jdk.net.ExtendedSocketOptions;

/** The HTTP listener. Handlers run on virtual threads, one per connection. */
public final class Api implements AutoCloseable {
  /** Longer than clients keep idle connections, so that it is they who close them. */
  private static final Duration IDLE = Duration.ofSeconds(90);

  private final WebServer server;
  private final List<String> operations;
  private final Drain drain;
  private final Duration stopWithin;

  private Api(WebServer server, List<String> operations, Drain drain, Duration stopWithin) {
    this.server = server;
    this.operations = operations;
    this.drain = drain;
    this.stopWithin = stopWithin;
  }

  /** Listens on {@code host} and {@code port}; port 0 takes a free one. */
  public static Api start(String host, int port, ApiSettings settings, ApiParts parts) {
    Drain drain = new Drain();
    Gate gate =
        new Gate(
            parts.keys(),
            new HostCheck(host, settings.hosts()),
            drain,
            parts.meters(),
            parts.random(),
            settings.maxBody());
    HttpRouting.Builder routing = HttpRouting.builder();
    List<String> operations = Routes.register(routing, gate, settings, parts, drain);
    Http1Config http =
        Http1Config.builder().sendKeepAliveHeader(false).maxHeadersSize(32 << 10).build();
    Beats beats = new Beats(parts.timer(), settings.heartbeat());
    WebSockets sockets =
        new WebSockets(
            gate,
            List.of(
                new TerminalRoute(parts.execs(), beats),
                new TunnelRoute(parts.execs(), beats),
                new PortUpgrade(parts.execs(), parts.timer())));
    WebServer server =
        WebServer.builder()
            .host(host)
            .port(port)
            .shutdownHook(false)
            .backlog(4096)
            .maxPayloadSize(-1)
            .writeBufferSize(0)
            .useNio(false) // its sockets write through 8 KiB; plain ones as much as they are given
            .shutdownGracePeriod(Duration.ofSeconds(1))
            .connectionOptions(Api::options)
            .protocolsDiscoverServices(false)
            .addProtocol(http)
            .addProtocol(WsConfig.create())
            .addConnectionSelector(
                new WatchedConnections(
                    Http1ConnectionSelector.builder().config(http).addUpgrader(sockets).build()))
            .directHandlers(PlainErrors.handlers())
            .routing(routing)
            .build()
            .start();
    return new Api(server, operations, drain, settings.stopWithin());
  }

  /** Of the clients of calls, for who waits on their behalf. */
  public static Presence presence(Timer timer) {
    return gone -> ClientWatch.begin(timer, gone);
  }

  /** A client whose machine vanished is noticed within 90 s also where nothing is sent to it. */
  private static void options(SocketOptions.BuilderBase<?, ?> options) {
    options
        .tcpNoDelay(true)
        .readTimeout(IDLE)
        .socketKeepAlive(true)
        .putSocketOption(ExtendedSocketOptions.TCP_KEEPIDLE, 60)
        .putSocketOption(ExtendedSocketOptions.TCP_KEEPINTERVAL, 10)
        .putSocketOption(ExtendedSocketOptions.TCP_KEEPCOUNT, 3);
  }

  /** What it answers, each as {@code METHOD /path}. */
  public List<String> operations() {
    return operations;
  }

  public int port() {
    return server.port();
  }

  /** Refuses new calls with 503, lets running ones end within the bound, then closes. */
  @Override
  public void close() {
    drain.close();
    try {
      boolean _ = drain.await(stopWithin);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    server.stop();
  }
}
