// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.TrajectoryCursor;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxState;
import io.dsec.model.StateChange;
import io.dsec.server.sandbox.Catalog;
import io.dsec.server.sandbox.Sandbox;
import io.dsec.server.sandbox.SandboxRecord;
import io.dsec.server.schedule.NodeDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** What happened to a sandbox: its changes of state, and its trajectory. */
final class HistoryRoutes {
  private static final Duration LOOK = Duration.ofSeconds(5);

  private final Catalog catalog;
  private final NodeDirectory nodes;
  private final Beats beats;

  HistoryRoutes(Catalog catalog, NodeDirectory nodes, Beats beats) {
    this.catalog = catalog;
    this.nodes = nodes;
    this.beats = beats;
  }

  void events(Exchange exchange) throws IOException, InterruptedException {
    SandboxId id = exchange.sandboxId();
    SandboxRecord record = catalog.record(exchange.caller(), id);
    Optional<Sandbox> live = exchange.flag("follow") ? catalog.live(id) : Optional.empty();
    Set<Object> told = new HashSet<>();
    try (Lines lines = lines(exchange, () -> {})) {
      tell(lines, record, told);
      while (live.isPresent() && !live.get().ended() && lines.open()) {
        int seen = live.get().record().history().hashCode();
        boolean _ =
            live.get().await(s -> s.ended() || s.record().history().hashCode() != seen, LOOK);
        tell(lines, live.get().record(), told);
      }
      if (live.isPresent()) {
        tell(lines, live.get().record(), told);
      }
    }
  }

  private Lines lines(Exchange exchange, Runnable source) throws IOException {
    return exchange.flag("follow")
        ? Lines.followed(exchange, beats, Lines.EMPTY_LINE, source)
        : Lines.whole(exchange);
  }

  private static void tell(Lines lines, SandboxRecord record, Set<Object> told) throws IOException {
    for (StateChange step : record.history()) {
      if (told.add(mark(step))) {
        lines.json(step);
      }
    }
  }

  /** A wait that goes on is told once, whatever it waits for now; every other change is. */
  private static Object mark(StateChange step) {
    boolean waits = step.state() == SandboxState.QUEUED || step.state() == SandboxState.PLACING;
    return waits ? step.state() + " " + step.reason() : step;
  }

  void trajectory(Exchange exchange) throws IOException {
    String format = exchange.query("format").orElse("jsonl");
    if (!format.equals("jsonl")) {
      throw DsecException.notSupported(
              "format", "the server gives jsonl alone, not \"%s\"".formatted(format))
          .withHint("`dsec trajectory export` makes the other formats");
    }
    SandboxId id = exchange.sandboxId();
    SandboxRecord record = catalog.record(exchange.caller(), id);
    long from = exchange.number("from", 0, Long.MAX_VALUE);
    boolean follow = exchange.flag("follow");
    String node = record.node();
    if (node == null) {
      throw DsecException.of(
          ErrorCode.NOT_FOUND, "sandbox %s has no trajectory: it was never placed".formatted(id));
    }
    TrajectoryCursor opened =
        nodes
            .member(node)
            .orElseThrow(() -> DsecException.of(ErrorCode.NO_CAPACITY, "node " + node + " is away"))
            .commands()
            .trajectory(id, from, follow);
    try (TrajectoryCursor cursor = opened;
        Lines lines = lines(exchange, cursor::close)) {
      for (String line = cursor.next(); line != null; line = cursor.next()) {
        lines.line(line.getBytes(StandardCharsets.UTF_8));
      }
    }
  }
}
