// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.OutputCursor;
import io.dsec.link.ProcessInput;
import io.dsec.model.DsecException;
import io.dsec.model.ExecSpec;
import io.dsec.model.SandboxId;
import io.dsec.model.TerminalSize;
import io.dsec.server.exec.Execs;
import io.dsec.server.tenant.Caller;
import io.helidon.webserver.spi.ServerConnection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code GET /sandboxes/{id}/terminal}: a program on a terminal, over a WebSocket. */
final class TerminalRoute implements WebSockets.Route {
  /** What a reattached client gets of the past. */
  static final int RECENT = 64 << 10;

  private static final Pattern PATH = Pattern.compile("/v1/sandboxes/([^/]+)/terminal");

  private final Execs execs;
  private final Beats beats;

  TerminalRoute(Execs execs, Beats beats) {
    this.execs = execs;
    this.beats = beats;
  }

  /** The call without an upgrade. */
  static DsecException plain(Exchange exchange) {
    return WebSockets.plain(
        exchange, "`dsec exec -it ID` opens one; a program's output alone comes by …/exec");
  }

  @Override
  public String name() {
    return "GET /v1/sandboxes/{id}/terminal";
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
    Optional<String> known = upgrade.query("id");
    Optional<TerminalSize> size = size(upgrade);
    String process =
        known.isPresent()
            ? known.get()
            : execs.start(caller, id, true, spec(upgrade, size.orElse(TerminalSize.DEFAULT))).id();
    OutputCursor output = execs.attach(caller, id, process, RECENT);
    ProcessInput input = execs.look(caller, id, node -> node.input(id, process));
    TerminalSocket socket =
        new TerminalSocket(
            new TerminalSocket.Place(execs, caller, id, process), input, output, upgrade.id());
    if (known.isPresent()) {
      size.ifPresent(socket::resize);
    }
    socket.beat(beats);
    return Optional.of(WebSockets.accept(upgrade, key, socket));
  }

  private static Optional<TerminalSize> size(Upgrade upgrade) {
    if (upgrade.query("cols").isEmpty() && upgrade.query("rows").isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        new TerminalSize(
            upgrade.number("cols", TerminalSize.DEFAULT.cols()),
            upgrade.number("rows", TerminalSize.DEFAULT.rows())));
  }

  /** Without {@code argv}: a login shell, as ssh gives it. */
  private static ExecSpec spec(Upgrade upgrade, TerminalSize size) {
    List<String> argv = upgrade.queries("argv");
    Optional<String> user = upgrade.query("user");
    user.ifPresent(name -> Texts.noNul("user", name));
    return (argv.isEmpty() ? ExecSpec.text("").login(true) : ExecSpec.program(argv))
        .cwd(upgrade.query("cwd"))
        .env(environment(upgrade))
        .user(user)
        .timeout(upgrade.query("timeout").map(text -> Amount.duration("timeout", text)))
        .terminal(size)
        .done();
  }

  private static Map<String, String> environment(Upgrade upgrade) {
    Map<String, String> env = new LinkedHashMap<>();
    for (String pair : upgrade.queries("env")) {
      int equals = pair.indexOf('=');
      if (equals < 1) {
        throw DsecException.invalid("env", "env is \"%s\"; write NAME=value".formatted(pair));
      }
      env.put(pair.substring(0, equals), pair.substring(equals + 1));
    }
    upgrade.query("term").ifPresent(term -> env.put("TERM", term));
    return env;
  }
}
