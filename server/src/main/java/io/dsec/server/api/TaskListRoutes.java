// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.dsec.model.DsecException;
import io.dsec.server.batch.BatchTable;
import io.dsec.server.batch.Batches;
import io.dsec.server.exec.EndingReply;
import io.dsec.server.task.TaskRecord;
import io.dsec.server.task.TaskResult;
import io.dsec.server.task.Tasks;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code GET /tasks}: tasks of their own, or those of one batch, without their output. */
final class TaskListRoutes {
  private static final int PAGE = 100;
  private static final int LONGEST_PAGE = 500;

  private final Tasks tasks;
  private final Batches batches;

  TaskListRoutes(Tasks tasks, Batches batches) {
    this.tasks = tasks;
    this.batches = batches;
  }

  record Page(List<ListedTask> tasks, @Nullable String nextCursor) {}

  /** {@code index} is there for a task of a batch, the times for one of its own. */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record ListedTask(
      String id,
      @Nullable Integer index,
      String state,
      @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable String sandbox,
      int attempt,
      @Nullable Instant createdAt,
      @Nullable Instant endedAt,
      @JsonInclude(JsonInclude.Include.ALWAYS) @Nullable EndingReply ending,
      @Nullable Double durationSeconds) {}

  void list(Exchange exchange) {
    int limit = (int) Math.max(1, exchange.number("limit", PAGE, LONGEST_PAGE));
    Optional<String> batch = exchange.query("batch");
    exchange.reply(200, batch.isPresent() ? ofBatch(exchange, limit) : own(exchange, limit));
  }

  private Page own(Exchange exchange, int limit) {
    Optional<Boolean> ended = exchange.query("state").map(s -> state(s, List.of("open", "ended")));
    List<TaskRecord> found =
        tasks.list(SandboxQuery.tenant(exchange), ended, Cursors.of(exchange), limit + 1);
    List<TaskRecord> page = found.subList(0, Math.min(limit, found.size()));
    return new Page(
        page.stream().map(this::listed).toList(),
        found.size() > limit
            ? Cursors.after(page.getLast().createdAt(), page.getLast().id())
            : null);
  }

  private static boolean state(String state, List<String> known) {
    if (!known.contains(state)) {
      throw DsecException.invalid(
          "state", "state is \"%s\"; it must be one of %s".formatted(state, known));
    }
    return state.equals("ended");
  }

  private ListedTask listed(TaskRecord task) {
    TaskResult result = task.result();
    return new ListedTask(
        task.id(),
        null,
        tasks.state(task),
        task.sandbox().value(),
        1,
        task.createdAt(),
        task.endedAt(),
        result == null ? null : result.ending(),
        result == null ? null : result.durationSeconds());
  }

  private Page ofBatch(Exchange exchange, int limit) {
    String id = batches.find(exchange.caller(), exchange.query("batch").orElseThrow()).batch().id();
    Optional<String> state = exchange.query("state");
    boolean _ = state.map(s -> state(s, List.of("pending", "started", "ended"))).orElse(false);
    int after = (int) exchange.number("cursor", 0, Integer.MAX_VALUE) - 1;
    List<BatchTable.TaskRow> found = batches.tasks(id, state, after, limit + 1);
    List<BatchTable.TaskRow> page = found.subList(0, Math.min(limit, found.size()));
    return new Page(
        page.stream().map(TaskListRoutes::listed).toList(),
        found.size() > limit ? Integer.toString(page.getLast().index() + 1) : null);
  }

  private static ListedTask listed(BatchTable.TaskRow row) {
    TaskResult result = row.result();
    return new ListedTask(
        row.id(),
        row.index(),
        row.state(),
        row.sandbox(),
        row.attempt(),
        null,
        null,
        result == null ? null : result.ending(),
        result == null ? null : result.durationSeconds());
  }
}
