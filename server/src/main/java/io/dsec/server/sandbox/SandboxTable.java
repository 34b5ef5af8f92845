// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.sandbox;

import io.dsec.link.Json;
import io.dsec.model.SandboxId;
import io.dsec.server.store.Cursor;
import io.dsec.server.store.Database;
import io.dsec.server.store.Times;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * Rows of {@code sandboxes} and {@code sandbox_labels}: written when accepted, placed and ended.
 */
public final class SandboxTable {
  private final Database database;

  public SandboxTable(Database database) {
    this.database = database;
  }

  static void insert(Handle h, SandboxRecord record, @Nullable String request) {
    h.execute(
        "INSERT INTO sandboxes (id, tenant, owner, state, created_at, request, document)"
            + " VALUES (?, ?, ?, ?, ?, ?, ?)",
        record.id().value(),
        record.tenant(),
        record.owner(),
        Json.lower(record.state()),
        Times.micros(record.createdAt()),
        request,
        document(record));
    for (Map.Entry<String, String> label : record.labels().entrySet()) {
      h.execute(
          "INSERT INTO sandbox_labels (sandbox, name, value) VALUES (?, ?, ?)",
          record.id().value(),
          label.getKey(),
          label.getValue());
    }
  }

  void placed(SandboxRecord record) {
    database
        .writes()
        .run(
            h ->
                h.execute(
                    "UPDATE sandboxes SET state = ?, document = ?, request = NULL"
                        + " WHERE id = ? AND ended_at IS NULL",
                    Json.lower(record.state()),
                    document(record),
                    record.id().value()));
  }

  void ended(SandboxRecord record, Instant now) {
    database
        .writes()
        .run(
            h ->
                h.execute(
                    "UPDATE sandboxes SET state = ?, document = ?, request = NULL, ended_at = ?"
                        + " WHERE id = ?",
                    Json.lower(record.state()),
                    document(record),
                    Times.micros(now),
                    record.id().value()));
  }

  Optional<SandboxRecord> find(SandboxId id) {
    return database.read(
        h ->
            h.createQuery("SELECT document FROM sandboxes WHERE id = ?")
                .bind(0, id.value())
                .mapTo(String.class)
                .findOne()
                .map(SandboxTable::record));
  }

  /** All that have no end yet, each with the request that asked for it while it was not placed. */
  List<Row> open() {
    return database.read(
        h ->
            h.createQuery(
                    "SELECT document, request FROM sandboxes WHERE ended_at IS NULL"
                        + " ORDER BY created_at, id")
                .map((rs, _) -> new Row(record(rs.getString(1)), rs.getString(2)))
                .list());
  }

  /** Newest first, after the cursor. Live states are the caller's business. */
  List<SandboxRecord> list(SandboxFilter filter, int limit) {
    StringBuilder sql =
        new StringBuilder("SELECT document FROM sandboxes s WHERE s.tenant = :tenant");
    filter.cursor().ifPresent(_ -> sql.append(" AND ").append(Cursor.AFTER));
    int n = 0;
    for (Map.Entry<String, String> _ : filter.labels().entrySet()) {
      sql.append(
          (" AND EXISTS (SELECT 1 FROM sandbox_labels l WHERE l.sandbox = s.id"
                  + " AND l.name = :name%d AND l.value = :value%d)")
              .formatted(n, n));
      n++;
    }
    if (filter.openOnly()) {
      sql.append(" AND ended_at IS NULL");
    }
    if (filter.endedOnly()) {
      sql.append(" AND ended_at IS NOT NULL AND state = :state");
    }
    sql.append(" ORDER BY created_at DESC, id DESC LIMIT :limit");
    return database.read(
        h -> {
          Query query = h.createQuery(sql.toString()).bind("tenant", filter.tenant());
          filter
              .cursor()
              .ifPresent(c -> query.bind("at", Times.micros(c.createdAt())).bind("id", c.id()));
          int i = 0;
          for (Map.Entry<String, String> label : filter.labels().entrySet()) {
            query.bind("name" + i, label.getKey()).bind("value" + i, label.getValue());
            i++;
          }
          if (filter.endedOnly()) {
            query.bind("state", Json.lower(filter.state().orElseThrow()));
          }
          return query.bind("limit", limit).mapTo(String.class).map(SandboxTable::record).list();
        });
  }

  public void forgetEndedBefore(Instant time) {
    database
        .writes()
        .run(
            h -> {
              h.execute(
                  "DELETE FROM sandbox_labels WHERE sandbox IN"
                      + " (SELECT id FROM sandboxes WHERE ended_at < ?)",
                  Times.micros(time));
              h.execute("DELETE FROM sandboxes WHERE ended_at < ?", Times.micros(time));
            });
  }

  private static String document(SandboxRecord record) {
    return Json.mapper().writeValueAsString(record);
  }

  private static SandboxRecord record(String document) {
    return Json.mapper().readValue(document, SandboxRecord.class);
  }

  record Row(SandboxRecord record, @Nullable String request) {}
}
