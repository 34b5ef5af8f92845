// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.batch;

import io.dsec.link.Json;
import io.dsec.model.SandboxId;
import io.dsec.server.exec.EndingReply;
import io.dsec.server.store.Claim;
import io.dsec.server.store.ClaimTable;
import io.dsec.server.store.Cursor;
import io.dsec.server.store.Database;
import io.dsec.server.store.Times;
import io.dsec.server.task.TaskResult;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.PreparedBatch;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** Rows of {@code batches} and {@code batch_tasks}. */
public final class BatchTable {
  /** Rows of one write, so that a large batch does not hold up other writes. */
  private static final int CHUNK = 2_000;

  private static final String HEAD =
      "SELECT id, tenant, name, state, total, document, created_at, ended_at FROM batches ";

  private final Database database;

  public BatchTable(Database database) {
    this.database = database;
  }

  /** Stores all of it, or finds the batch that this identity led to before. */
  Optional<String> insert(BatchRecord batch, BatchPlan plan, Optional<Claim> claim) {
    Optional<String> before =
        database
            .writes()
            .call(
                h -> {
                  Optional<String> taken =
                      claim.flatMap(c -> ClaimTable.take(h, c, batch.id(), batch.createdAt()));
                  if (taken.isEmpty()) {
                    head(h, batch);
                  }
                  return taken;
                });
    if (before.isEmpty()) {
      for (int from = 0; from < plan.ids().size(); from += CHUNK) {
        int start = from;
        database.writes().run(h -> tasks(h, batch.id(), plan, start));
      }
      state(batch.id(), "running");
    }
    return before;
  }

  private static void head(Handle h, BatchRecord batch) {
    h.execute(
        "INSERT INTO batches (id, tenant, name, state, total, document, created_at)"
            + " VALUES (?, ?, ?, 'loading', ?, ?, ?)",
        batch.id(),
        batch.tenant(),
        batch.name(),
        batch.total(),
        batch.document(),
        Times.micros(batch.createdAt()));
  }

  private static void tasks(Handle h, String batch, BatchPlan plan, int from) {
    PreparedBatch rows =
        h.prepareBatch(
            "INSERT INTO batch_tasks (batch, idx, id, after_idx, task, state, attempt)"
                + " VALUES (?, ?, ?, ?, ?, 'pending', 0)");
    int to = Math.min(from + CHUNK, plan.ids().size());
    for (int i = from; i < to; i++) {
      int[] after = plan.graph().after(i);
      rows.bind(0, batch)
          .bind(1, i)
          .bind(2, plan.ids().get(i))
          .bind(3, after.length == 0 ? null : Json.mapper().writeValueAsString(after))
          .bind(4, plan.tasks().get(i))
          .add();
    }
    int[] _ = rows.execute();
  }

  void state(String batch, String state) {
    database
        .writes()
        .run(h -> h.execute("UPDATE batches SET state = ? WHERE id = ?", state, batch));
  }

  void ended(BatchRecord batch) {
    Instant at = batch.endedAt();
    database
        .writes()
        .run(
            h ->
                h.execute(
                    "UPDATE batches SET state = ?, ended_at = ? WHERE id = ?",
                    batch.state(),
                    at == null ? null : Times.micros(at),
                    batch.id()));
  }

  static void started(Handle h, String batch, int index, SandboxId sandbox, int attempt) {
    h.execute(
        "UPDATE batch_tasks SET state = 'started', sandbox = ?, attempt = ?"
            + " WHERE batch = ? AND idx = ?",
        sandbox.value(),
        attempt,
        batch,
        index);
  }

  /** It will be tried again. */
  void pending(String batch, int index, int attempt) {
    database
        .writes()
        .run(
            h ->
                h.execute(
                    "UPDATE batch_tasks SET state = 'pending', attempt = ?"
                        + " WHERE batch = ? AND idx = ? AND state <> 'ended'",
                    attempt,
                    batch,
                    index));
  }

  /** Stores ends, numbered in the order of their commits; the first end of a task stays. */
  void ended(String batch, List<Integer> tasks, TaskResult result, boolean ok) {
    String json = Json.mapper().writeValueAsString(result);
    EndingReply ending = result.ending();
    for (int from = 0; from < tasks.size(); from += CHUNK) {
      List<Integer> chunk = tasks.subList(from, Math.min(from + CHUNK, tasks.size()));
      database
          .writes()
          .run(
              h -> {
                for (int index : chunk) {
                  h.execute(
                      "UPDATE batch_tasks SET state = 'ended', kind = ?, fault = ?, ok = ?,"
                          + " result = ?, ended_n = (SELECT COALESCE(MAX(ended_n), 0) + 1"
                          + " FROM batch_tasks WHERE batch = ?)"
                          + " WHERE batch = ? AND idx = ? AND state <> 'ended'",
                      ending.kind(),
                      ending.isFault() ? 1 : 0,
                      ok ? 1 : 0,
                      json,
                      batch,
                      batch,
                      index);
                }
              });
    }
  }

  String task(String batch, int index) {
    return database.read(
        h ->
            h.createQuery("SELECT task FROM batch_tasks WHERE batch = ? AND idx = ?")
                .bind(0, batch)
                .bind(1, index)
                .mapTo(String.class)
                .one());
  }

  Optional<BatchRecord> find(String id) {
    return database.read(
        h ->
            h.createQuery(HEAD + "WHERE id = ? AND state <> 'loading'")
                .bind(0, id)
                .map((rs, _) -> batch(rs))
                .findOne());
  }

  /** Newest first, after the cursor. */
  List<BatchRecord> list(String tenant, Optional<Cursor> cursor, int limit) {
    String sql =
        HEAD
            + "WHERE tenant = :tenant AND state <> 'loading'"
            + cursor.map(_ -> " AND " + Cursor.AFTER).orElse("")
            + " ORDER BY created_at DESC, id DESC LIMIT :limit";
    return database.read(
        h -> {
          Query query = h.createQuery(sql).bind("tenant", tenant).bind("limit", limit);
          cursor.ifPresent(c -> query.bind("at", Times.micros(c.createdAt())).bind("id", c.id()));
          return query.map((rs, _) -> batch(rs)).list();
        });
  }

  /** Tasks of a batch in the order of the document, after the {@code after}-th. */
  List<TaskRow> list(String batch, Optional<String> state, int after, int limit) {
    String sql =
        "SELECT idx, id, state, attempt, sandbox, result FROM batch_tasks"
            + " WHERE batch = :batch AND idx > :after"
            + state.map(_ -> " AND state = :state").orElse("")
            + " ORDER BY idx LIMIT :limit";
    return database.read(
        h -> {
          Query query = h.createQuery(sql).bind("batch", batch).bind("after", after);
          state.ifPresent(s -> query.bind("state", s));
          return query.bind("limit", limit).map((rs, _) -> taskRow(rs)).list();
        });
  }

  /** Those that had no end when the server stopped. One that was not stored whole goes. */
  List<BatchRecord> open() {
    database
        .writes()
        .run(
            h -> {
              h.execute(
                  "DELETE FROM batch_tasks WHERE batch IN"
                      + " (SELECT id FROM batches WHERE state = 'loading')");
              h.execute(
                  "DELETE FROM claims WHERE target IN"
                      + " (SELECT id FROM batches WHERE state = 'loading')");
              h.execute("DELETE FROM batches WHERE state = 'loading'");
            });
    return database.read(
        h ->
            h.createQuery(HEAD + "WHERE ended_at IS NULL ORDER BY created_at, id")
                .map((rs, _) -> batch(rs))
                .list());
  }

  List<Row> rows(String batch) {
    return database.read(
        h ->
            h.createQuery(
                    "SELECT id, after_idx, state, attempt, sandbox, kind, fault, ok"
                        + " FROM batch_tasks WHERE batch = ? ORDER BY idx")
                .bind(0, batch)
                .map((rs, _) -> row(rs))
                .list());
  }

  /** As stored: of a batch that is over. */
  Counts counts(String batch) {
    Map<String, Integer> states = new HashMap<>();
    Map<String, Integer> endings = new HashMap<>();
    int[] sums = new int[3];
    database.read(
        h ->
            h.createQuery(
                    "SELECT state, kind, ok, fault, COUNT(*) AS tasks,"
                        + " SUM(CASE WHEN attempt > 1 THEN attempt - 1 ELSE 0 END) AS retried"
                        + " FROM batch_tasks WHERE batch = ? GROUP BY state, kind, ok, fault")
                .bind(0, batch)
                .map(
                    (rs, _) -> {
                      int tasks = rs.getInt("tasks");
                      states.merge(rs.getString("state"), tasks, Integer::sum);
                      String kind = rs.getString("kind");
                      if (kind != null) {
                        endings.merge(kind, tasks, Integer::sum);
                      }
                      sums[0] += rs.getInt("ok") * tasks;
                      sums[1] += rs.getInt("fault") * tasks;
                      sums[2] += rs.getInt("retried");
                      return tasks;
                    })
                .list());
    return new Counts(states, endings, sums[0], sums[1], sums[2]);
  }

  /** Ends after the {@code n}-th, in order. */
  public List<EndedTask> endedAfter(String batch, long n, int limit) {
    return database.read(
        h ->
            h.createQuery(
                    "SELECT ended_n, idx, id, attempt, sandbox, result FROM batch_tasks"
                        + " WHERE batch = ? AND ended_n > ? ORDER BY ended_n LIMIT ?")
                .bind(0, batch)
                .bind(1, n)
                .bind(2, limit)
                .map((rs, _) -> endedTask(rs))
                .list());
  }

  public void forgetEndedBefore(Instant time) {
    database
        .writes()
        .run(
            h -> {
              h.execute(
                  "DELETE FROM batch_tasks WHERE batch IN"
                      + " (SELECT id FROM batches WHERE ended_at < ?)",
                  Times.micros(time));
              h.execute("DELETE FROM batches WHERE ended_at < ?", Times.micros(time));
            });
  }

  private static BatchRecord batch(ResultSet rs) throws SQLException {
    long ended = rs.getLong("ended_at");
    return new BatchRecord(
        rs.getString("id"),
        rs.getString("tenant"),
        rs.getString("name"),
        rs.getString("state"),
        rs.getInt("total"),
        rs.getString("document"),
        Times.instant(rs.getLong("created_at")),
        ended == 0 ? null : Times.instant(ended));
  }

  private static Row row(ResultSet rs) throws SQLException {
    String after = rs.getString("after_idx");
    return new Row(
        rs.getString("id"),
        after == null ? List.of() : List.of(Json.mapper().readValue(after, Integer[].class)),
        rs.getString("state"),
        rs.getInt("attempt"),
        rs.getString("sandbox"),
        rs.getString("kind"),
        rs.getInt("fault") == 1,
        rs.getInt("ok") == 1);
  }

  private static EndedTask endedTask(ResultSet rs) throws SQLException {
    return new EndedTask(
        rs.getLong("ended_n"),
        rs.getInt("idx"),
        rs.getString("id"),
        rs.getInt("attempt"),
        rs.getString("sandbox"),
        Json.mapper().readValue(rs.getString("result"), TaskResult.class));
  }

  private static TaskRow taskRow(ResultSet rs) throws SQLException {
    String result = rs.getString("result");
    return new TaskRow(
        rs.getInt("idx"),
        rs.getString("id"),
        rs.getString("state"),
        rs.getInt("attempt"),
        rs.getString("sandbox"),
        result == null ? null : Json.mapper().readValue(result, TaskResult.class));
  }

  /** A task as stored: {@code pending}, {@code started} or {@code ended}. */
  public record TaskRow(
      int index,
      String id,
      String state,
      int attempt,
      @Nullable String sandbox,
      @Nullable TaskResult result) {}

  /** A task as stored, without its request and result. */
  record Row(
      String id,
      List<Integer> after,
      String state,
      int attempt,
      @Nullable String sandbox,
      @Nullable String kind,
      boolean fault,
      boolean ok) {}
}
