// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Json;
import io.dsec.model.DsecException;
import io.dsec.server.admit.CreateLimit;
import io.dsec.server.batch.BatchRecord;
import io.dsec.server.batch.Batches;
import io.dsec.server.batch.EndedTask;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Batches: many tasks at once. */
final class BatchRoutes {
  private static final HeaderName LAST_EVENT_ID = HeaderNames.create("Last-Event-ID");
  private static final Duration CANCEL_GRACE = Duration.ofSeconds(30);
  private static final Duration TICK = Duration.ofMillis(500);
  private static final int PAGE = 500;
  private static final int LONGEST_LIST = 1_000;

  private final CreateLimit limit;
  private final BatchBody bodies;
  private final Batches batches;
  private final Beats beats;
  private final Clock clock;

  BatchRoutes(CreateLimit limit, BatchBody bodies, Batches batches, Beats beats, Clock clock) {
    this.limit = limit;
    this.bodies = bodies;
    this.batches = batches;
    this.beats = beats;
    this.clock = clock;
  }

  record Page(List<BatchReply> batches, @Nullable String nextCursor) {}

  void submit(Exchange exchange) throws IOException {
    byte[] body = exchange.body();
    limit.admit(exchange.caller().tenant());
    Batches.Submitted submitted =
        batches.submit(
            exchange.caller().tenant(),
            bodies.read(body),
            Identity.ofBytes(exchange, "batch", body));
    exchange.reply(submitted.fresh() ? 201 : 200, BatchReply.of(submitted.view(), clock.instant()));
  }

  void list(Exchange exchange) {
    int most = (int) Math.max(1, exchange.number("limit", 100, LONGEST_LIST));
    List<Batches.View> found =
        batches.list(SandboxQuery.tenant(exchange), Cursors.of(exchange), most + 1);
    List<Batches.View> page = found.subList(0, Math.min(most, found.size()));
    exchange.reply(
        200,
        new Page(
            page.stream().map(v -> BatchReply.of(v, clock.instant())).toList(),
            found.size() > most ? next(page.getLast().batch()) : null));
  }

  private static String next(BatchRecord last) {
    return Cursors.after(last.createdAt(), last.id());
  }

  void show(Exchange exchange) {
    exchange.reply(200, reply(exchange));
  }

  /** Nothing starts any more and what runs is ended; {@code state} tells when that is done. */
  void cancel(Exchange exchange) {
    Duration grace =
        exchange.query("grace").map(g -> Amount.duration("grace", g)).orElse(CANCEL_GRACE);
    Batches.View view = batches.find(exchange.caller(), exchange.path("id"));
    batches.cancel(view.batch().id(), grace);
    BatchReply after = reply(exchange);
    exchange.reply(after.endedAt() == null ? 202 : 200, after);
  }

  /** Results in the order of their endings, after the {@code from}-th; {@code follow} waits. */
  void results(Exchange exchange) throws IOException, InterruptedException {
    String id = batches.find(exchange.caller(), exchange.path("id")).batch().id();
    long last = exchange.number("from", 0, Long.MAX_VALUE);
    boolean follow = exchange.flag("follow");
    try (Lines out =
        follow
            ? Lines.followed(exchange, beats, Lines.EMPTY_LINE, () -> {})
            : Lines.whole(exchange)) {
      while (out.open()) {
        Batches.View view = batches.find(exchange.caller(), id);
        List<EndedTask> page = batches.endedAfter(id, last, PAGE);
        for (EndedTask task : page) {
          out.json(BatchTaskReply.of(task));
          last = task.n();
        }
        if (page.isEmpty()) {
          if (!follow || view.batch().endedAt() != null) {
            return;
          }
          batches.awaitChange(id, view.counts().ended(), TICK);
        }
      }
    }
  }

  /**
   * Server-sent events: {@code task} for each ending, with its number as id, {@code progress} with
   * the counts, and {@code end}. A client that comes again with Last-Event-ID goes on after it.
   */
  void events(Exchange exchange) throws IOException, InterruptedException {
    String id = batches.find(exchange.caller(), exchange.path("id")).batch().id();
    long last = exchange.header(LAST_EVENT_ID).map(BatchRoutes::eventId).orElse(0L);
    Duration silence = Duration.ZERO;
    try (OutputStream out =
        new BufferedOutputStream(exchange.stream("text/event-stream"), 32 << 10)) {
      event(out, Optional.empty(), "progress", reply(exchange));
      out.flush();
      while (true) {
        Batches.View view = batches.find(exchange.caller(), id);
        List<EndedTask> page = batches.endedAfter(id, last, PAGE);
        for (EndedTask task : page) {
          last = task.n();
          event(out, Optional.of(last), "task", brief(task));
        }
        if (!page.isEmpty() || silence.compareTo(Duration.ofSeconds(10)) >= 0) {
          event(out, Optional.empty(), "progress", BatchReply.of(view, clock.instant()));
          silence = Duration.ZERO;
        }
        if (page.isEmpty() && view.batch().endedAt() != null) {
          event(out, Optional.empty(), "end", BatchReply.of(view, clock.instant()));
          return;
        }
        out.flush();
        if (page.size() < PAGE) {
          batches.awaitChange(id, view.counts().ended(), TICK);
          silence = silence.plus(TICK);
        }
      }
    }
  }

  private BatchReply reply(Exchange exchange) {
    return BatchReply.of(batches.find(exchange.caller(), exchange.path("id")), clock.instant());
  }

  private static Map<String, Object> brief(EndedTask task) {
    return Map.of(
        "id", task.id(),
        "index", task.index(),
        "attempt", task.attempt(),
        "ending", task.result().ending());
  }

  private static void event(OutputStream out, Optional<Long> id, String name, Object data)
      throws IOException {
    String head = id.map(n -> "id: " + n + "\n").orElse("") + "event: " + name + "\ndata: ";
    out.write(head.getBytes(StandardCharsets.US_ASCII));
    out.write(Json.mapper().writeValueAsBytes(data));
    out.write('\n');
    out.write('\n');
  }

  private static long eventId(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException _) {
      throw DsecException.invalid("Last-Event-ID", "Last-Event-ID is not one of this stream");
    }
  }
}
