// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.Reason;
import io.dsec.model.SandboxId;
import io.dsec.server.sandbox.Catalog;
import io.dsec.server.sandbox.Removals;
import io.dsec.server.sandbox.Renewal;
import io.dsec.server.sandbox.Sandbox;
import io.dsec.server.sandbox.SandboxFilter;
import io.dsec.server.sandbox.SandboxRecord;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Sandboxes: list, show, delete, renew. */
final class SandboxRoutes {
  private static final int PAGE = 100;
  private static final int LONGEST_PAGE = 1_000;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

  private final Catalog catalog;
  private final Removals removals;
  private final Renewal renewal;
  private final Clock clock;

  SandboxRoutes(Catalog catalog, Removals removals, Renewal renewal, Clock clock) {
    this.catalog = catalog;
    this.removals = removals;
    this.renewal = renewal;
    this.clock = clock;
  }

  record Page(List<SandboxReply> sandboxes, @Nullable String nextCursor) {}

  record RenewRequest(@Nullable JsonNode ttl) {}

  record Removed(int removed) {}

  void list(Exchange exchange) {
    SandboxFilter filter = SandboxQuery.filter(exchange);
    int limit = (int) Math.max(1, exchange.number("limit", PAGE, LONGEST_PAGE));
    List<SandboxRecord> found = catalog.list(filter, limit + 1);
    List<SandboxRecord> page = found.subList(0, Math.min(limit, found.size()));
    exchange.reply(
        200,
        new Page(
            page.stream().map(SandboxReply::of).toList(),
            found.size() > limit ? next(page.getLast()) : null));
  }

  private static String next(SandboxRecord last) {
    return Cursors.after(last.createdAt(), last.id().value());
  }

  /** With {@code ?wait=running} once it runs or will never, if that comes in time. */
  void show(Exchange exchange) throws InterruptedException {
    SandboxId id = exchange.sandboxId();
    SandboxRecord seen = catalog.record(exchange.caller(), id);
    Optional<Duration> wait = waitFor(exchange);
    Optional<Sandbox> live = catalog.live(id);
    if (live.isPresent()) {
      live.get().touch(clock.instant());
      if (wait.isPresent()) {
        boolean _ = live.get().await(Sandbox::settled, wait.get());
        exchange.reply(200, SandboxReply.of(live.get().record()));
        return;
      }
    }
    exchange.reply(200, SandboxReply.of(seen));
  }

  private static Optional<Duration> waitFor(Exchange exchange) {
    Optional<String> goal = exchange.query("wait");
    if (goal.isPresent() && !goal.get().equals("running")) {
      throw DsecException.invalid(
          "wait", "wait is \"%s\"; it must be running".formatted(goal.get()));
    }
    return goal.map(
        _ ->
            exchange
                .query("wait_timeout")
                .map(text -> Amount.duration("wait_timeout", text))
                .filter(limit -> limit.compareTo(LONGEST_WAIT) <= 0)
                .orElse(LONGEST_WAIT));
  }

  void delete(Exchange exchange) throws InterruptedException {
    SandboxId id = exchange.sandboxId();
    Duration grace =
        exchange.query("grace").map(g -> Amount.duration("grace", g)).orElse(Duration.ZERO);
    Optional<Sandbox> sandbox = catalog.live(id).filter(s -> exchange.caller().mayUse(s.tenant()));
    if (sandbox.isEmpty()) {
      SandboxRecord _ = catalog.record(exchange.caller(), id); // not_found for an unknown one
      exchange.noContent();
    } else if (removals.remove(sandbox.get(), grace, Reason.REQUESTED)) {
      exchange.noContent();
    } else {
      exchange.reply(202, SandboxReply.of(sandbox.get().record()));
    }
  }

  void deleteMany(Exchange exchange) throws InterruptedException {
    Optional<String> missing = SandboxQuery.nothingAsked(exchange);
    if (missing.isPresent()) {
      throw DsecException.of(ErrorCode.INVALID_REQUEST, missing.get()).withField("label");
    }
    List<Sandbox> all = catalog.matching(SandboxQuery.filter(exchange));
    for (Sandbox sandbox : all) {
      removals.begin(sandbox, Duration.ZERO, Reason.REQUESTED);
    }
    int gone = 0;
    for (Sandbox sandbox : all) {
      gone += removals.remove(sandbox, Duration.ZERO, Reason.REQUESTED) ? 1 : 0;
    }
    exchange.reply(200, new Removed(gone));
  }

  void renew(Exchange exchange) throws IOException {
    RenewRequest request = Bodies.read(exchange.body(), RenewRequest.class);
    Duration ttl =
        Amount.duration("ttl", request.ttl)
            .filter(t -> !t.isZero() && t.compareTo(Duration.ofDays(365)) <= 0)
            .orElseThrow(
                () -> DsecException.invalid("ttl", "ttl must be longer than 0, at most 365 days"));
    SandboxId id = exchange.sandboxId();
    SandboxRecord record = catalog.record(exchange.caller(), id);
    Sandbox sandbox =
        catalog
            .live(id)
            .filter(s -> !s.ended())
            .orElseThrow(
                () ->
                    DsecException.of(
                        ErrorCode.GONE, "sandbox %s has ended".formatted(record.id())));
    renewal.renew(sandbox, ttl);
    exchange.reply(200, SandboxReply.of(sandbox.record()));
  }
}
