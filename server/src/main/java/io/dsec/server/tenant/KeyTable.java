// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.tenant;

import io.dsec.server.store.Database;
import io.dsec.server.store.Times;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;

/** Rows of {@code api_keys}. */
public final class KeyTable {
  private final Database database;

  public KeyTable(Database database) {
    this.database = database;
  }

  List<ApiKey> all() {
    return database.read(
        h ->
            h.createQuery(
                    "SELECT id, hash, tenant, role, created_at, expires_at FROM api_keys"
                        + " ORDER BY created_at, id")
                .map((rs, _) -> key(rs))
                .list());
  }

  void insert(ApiKey key) {
    database
        .writes()
        .run(
            h ->
                h.execute(
                    "INSERT INTO api_keys (id, hash, tenant, role, created_at, expires_at)"
                        + " VALUES (?, ?, ?, ?, ?, ?)",
                    key.id(),
                    key.hash(),
                    key.tenant(),
                    key.role().name().toLowerCase(Locale.ROOT),
                    Times.micros(key.createdAt()),
                    key.expiresAt() == null ? null : Times.micros(key.expiresAt())));
  }

  void delete(String id) {
    database.writes().run(h -> h.execute("DELETE FROM api_keys WHERE id = ?", id));
  }

  private static ApiKey key(ResultSet rs) throws SQLException {
    long expires = rs.getLong(6);
    boolean endless = rs.wasNull();
    return new ApiKey(
        rs.getString(1),
        rs.getString(2),
        rs.getString(3),
        Role.valueOf(rs.getString(4).toUpperCase(Locale.ROOT)),
        Times.instant(rs.getLong(5)),
        endless ? null : Times.instant(expires));
  }
}
