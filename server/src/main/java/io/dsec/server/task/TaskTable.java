// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.task;

import io.dsec.link.Json;
import io.dsec.model.SandboxId;
import io.dsec.server.store.Cursor;
import io.dsec.server.store.Database;
import io.dsec.server.store.Times;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;

/** Rows of {@code tasks}. */
public final class TaskTable {
  private final Database database;

  public TaskTable(Database database) {
    this.database = database;
  }

  static void insert(Handle h, String id, String tenant, SandboxId sandbox, Instant now) {
    h.execute(
        "INSERT INTO tasks (id, tenant, state, sandbox, created_at) VALUES (?, ?, 'open', ?, ?)",
        id,
        tenant,
        sandbox.value(),
        Times.micros(now));
  }

  /** Stores the end once; later ones change nothing. */
  void ended(String id, TaskResult result, Instant now) {
    database
        .writes()
        .run(
            h ->
                h.execute(
                    "UPDATE tasks SET state = 'ended', ended_at = ?, result = ?"
                        + " WHERE id = ? AND ended_at IS NULL",
                    Times.micros(now),
                    Json.mapper().writeValueAsString(result),
                    id));
  }

  Optional<TaskRecord> find(String id) {
    return database.read(
        h ->
            h.createQuery(
                    "SELECT id, tenant, sandbox, created_at, ended_at, result FROM tasks"
                        + " WHERE id = ?")
                .bind(0, id)
                .map((rs, _) -> task(rs))
                .findOne());
  }

  /** Newest first, after the cursor; those that ended, those that did not, or both. */
  List<TaskRecord> list(
      String tenant, Optional<Boolean> ended, Optional<Cursor> cursor, int limit) {
    String sql =
        "SELECT id, tenant, sandbox, created_at, ended_at, result FROM tasks WHERE tenant = :tenant"
            + ended.map(e -> " AND ended_at IS" + (e ? " NOT NULL" : " NULL")).orElse("")
            + cursor.map(_ -> " AND " + Cursor.AFTER).orElse("")
            + " ORDER BY created_at DESC, id DESC LIMIT :limit";
    return database.read(
        h -> {
          Query query = h.createQuery(sql).bind("tenant", tenant).bind("limit", limit);
          cursor.ifPresent(c -> query.bind("at", Times.micros(c.createdAt())).bind("id", c.id()));
          return query.map((rs, _) -> task(rs)).list();
        });
  }

  public void forgetEndedBefore(Instant time) {
    database
        .writes()
        .run(h -> h.execute("DELETE FROM tasks WHERE ended_at < ?", Times.micros(time)));
  }

  private static TaskRecord task(ResultSet rs) throws SQLException {
    String result = rs.getString("result");
    long ended = rs.getLong("ended_at");
    return new TaskRecord(
        rs.getString("id"),
        rs.getString("tenant"),
        new SandboxId(rs.getString("sandbox")),
        Times.instant(rs.getLong("created_at")),
        result == null ? null : Times.instant(ended),
        result == null ? null : Json.mapper().readValue(result, TaskResult.class));
  }
}
