// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.NodeCommands;
import io.dsec.link.SandboxReport;
import io.dsec.model.SandboxId;
import io.dsec.server.exec.Execs;
import io.dsec.server.sandbox.Catalog;
import java.util.function.Function;

/** {@code POST /sandboxes/{id}/pause} and {@code …/resume}; both may be repeated. */
final class PauseRoutes {
  private final Execs execs;
  private final Catalog catalog;

  PauseRoutes(Execs execs, Catalog catalog) {
    this.execs = execs;
    this.catalog = catalog;
  }

  void pause(Exchange exchange) throws InterruptedException {
    SandboxId id = exchange.sandboxId();
    turn(exchange, id, node -> node.pause(id));
  }

  void resume(Exchange exchange) throws InterruptedException {
    SandboxId id = exchange.sandboxId();
    turn(exchange, id, node -> node.resume(id));
  }

  private void turn(Exchange exchange, SandboxId id, Function<NodeCommands, SandboxReport> call)
      throws InterruptedException {
    SandboxReport report = execs.look(exchange.caller(), id, call);
    catalog.live(id).ifPresent(sandbox -> sandbox.merge(report));
    exchange.reply(200, SandboxReply.of(catalog.record(exchange.caller(), id)));
  }
}
