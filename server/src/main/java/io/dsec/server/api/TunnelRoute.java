// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.DsecException;
import io.dsec.model.SandboxId;
import io.dsec.server.exec.Execs;
import io.dsec.server.tenant.Caller;
import io.helidon.webserver.spi.ServerConnection;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code GET /sandboxes/{id}/tunnel?port=}: a TCP connection inside, over a WebSocket. */
final class TunnelRoute implements WebSockets.Route {
  private static final Pattern PATH = Pattern.compile("/v1/sandboxes/([^/]+)/tunnel");

  private final Execs execs;
  private final Beats beats;

  TunnelRoute(Execs execs, Beats beats) {
    this.execs = execs;
    this.beats = beats;
  }

  /** The call without an upgrade. */
  static DsecException plain(Exchange exchange) {
    return WebSockets.plain(
        exchange, "`dsec port-forward ID PORT` uses it; HTTP alone goes by …/ports/PORT/");
  }

  @Override
  public String name() {
    return "GET /v1/sandboxes/{id}/tunnel";
  }

  @Override
  public Optional<ServerConnection> open(Upgrade upgrade) throws InterruptedException {
    Matcher path = PATH.matcher(upgrade.path());
    if (!path.matches()) {
      return Optional.empty();
    }
    Caller caller = upgrade.caller();
    String key = WebSockets.key(upgrade);
    SandboxId id = Exchange.sandboxId(path.group(1));
    int port = PortRoutes.port(upgrade.query("port").orElse(""));
    boolean mayResume = !upgrade.query("resume").orElse("").matches("false|0");
    TunnelSocket socket =
        new TunnelSocket(execs.connect(caller, id, mayResume, port), upgrade.id());
    socket.beat(beats);
    return Optional.of(WebSockets.accept(upgrade, key, socket));
  }
}
