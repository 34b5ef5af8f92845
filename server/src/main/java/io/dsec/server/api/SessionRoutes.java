// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.ExecSpec;
import io.dsec.model.SandboxId;
import io.dsec.server.exec.SessionReply;
import io.dsec.server.exec.Sessions;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /sandboxes/{id}/sessions…}. */
final class SessionRoutes {
  private final Sessions sessions;
  private final ExecRoutes exec;

  SessionRoutes(Sessions sessions, ExecRoutes exec) {
    this.sessions = sessions;
    this.exec = exec;
  }

  void create(Exchange exchange) throws IOException, InterruptedException {
    ExecSpec spec = exchange.optionalBody(SessionRequest.class).spec();
    exchange.reply(201, sessions.create(exchange.caller(), exchange.sandboxId(), spec));
  }

  void list(Exchange exchange) throws InterruptedException {
    Map<String, @Nullable Object> reply = new LinkedHashMap<>();
    reply.put("sessions", sessions.list(exchange.caller(), exchange.sandboxId()));
    reply.put("next_cursor", null);
    exchange.reply(200, reply);
  }

  void show(Exchange exchange) throws InterruptedException {
    SessionReply reply =
        sessions.show(exchange.caller(), exchange.sandboxId(), exchange.path("session"));
    exchange.reply(200, reply);
  }

  void run(Exchange exchange) throws IOException, InterruptedException {
    ExecSpec command = Bodies.read(exchange.body(), SessionRunRequest.class).spec();
    SandboxId id = exchange.sandboxId();
    String session = exchange.path("session");
    exec.answer(
        exchange, listener -> sessions.run(exchange.caller(), id, session, command, listener));
  }

  void interrupt(Exchange exchange) throws InterruptedException {
    sessions.interrupt(exchange.caller(), exchange.sandboxId(), exchange.path("session"));
    exchange.noContent();
  }

  void remove(Exchange exchange) throws InterruptedException {
    sessions.remove(exchange.caller(), exchange.sandboxId(), exchange.path("session"));
    exchange.noContent();
  }
}
