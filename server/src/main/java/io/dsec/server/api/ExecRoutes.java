// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.ExecListener;
import io.dsec.link.Json;
import io.dsec.model.DsecException;
import io.dsec.model.Ending;
import io.dsec.model.ExecResult;
import io.dsec.model.ExecSpec;
import io.dsec.model.Reason;
import io.dsec.server.exec.ExecReply;
import io.dsec.server.exec.Execs;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** {@code POST /sandboxes/{id}/exec}, waiting or as a stream. */
final class ExecRoutes {
  private static final Logger LOG = LoggerFactory.getLogger(ExecRoutes.class);

  private final Execs execs;
  private final Beats beats;

  ExecRoutes(Execs execs, Beats beats) {
    this.execs = execs;
    this.beats = beats;
  }

  /** A command that is run to its end. */
  interface Command {
    ExecResult run(ExecListener listener) throws InterruptedException;
  }

  void exec(Exchange exchange) throws IOException, InterruptedException {
    ExecRequest request = Bodies.read(exchange.body(), ExecRequest.class);
    ExecSpec spec = request.spec();
    boolean mayResume = request.mayResume() && exchange.mayResume();
    answer(
        exchange,
        listener -> execs.run(exchange.caller(), exchange.sandboxId(), mayResume, spec, listener));
  }

  /** Runs it, and replies as the request accepts it: once at the end, or as a stream. */
  void answer(Exchange exchange, Command command) throws IOException, InterruptedException {
    boolean atEnd = outputAtEnd(exchange);
    if (exchange.accepts(Exchange.NDJSON) || exchange.accepts(Exchange.EXEC)) {
      stream(exchange, command, atEnd);
    } else {
      ExecReply reply = ExecReply.of(command.run(ExecListener.NONE));
      if (reply.isLarge()) {
        try (OutputStream out = exchange.stream(Exchange.JSON)) {
          Json.mapper().writeValue(out, reply);
        }
      } else {
        exchange.reply(200, reply);
      }
    }
  }

  /** With {@code ?output=end} a stream has no output but in its end, as the waiting reply does. */
  private static boolean outputAtEnd(Exchange exchange) {
    Optional<String> output = exchange.query("output");
    if (output.isEmpty()) {
      return false;
    }
    if (!output.get().equals("end") || !exchange.accepts(Exchange.NDJSON)) {
      throw DsecException.invalid(
          "output", "output can be \"end\" alone, with Accept: " + Exchange.NDJSON);
    }
    return true;
  }

  private void stream(Exchange exchange, Command command, boolean atEnd)
      throws IOException, InterruptedException {
    try (ExecStream stream = new ExecStream(exchange, beats, atEnd)) {
      ExecResult result;
      try {
        result = command.run(stream);
      } catch (DsecException e) {
        if (!stream.hasStarted()) {
          throw e;
        }
        LOG.warn("{}: an exec broke off after its start", exchange.id(), e);
        result = ExecResult.without("", new Ending.Lost(Reason.CHANNEL_BROKEN));
      }
      if (!stream.hasStarted()) {
        stream.started(result.id());
      }
      stream.end(result);
    }
  }
}
