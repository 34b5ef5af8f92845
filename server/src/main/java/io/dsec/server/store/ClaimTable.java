// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.store;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import java.time.Instant;
import java.util.Optional;
import org.jdbi.v3.core.Handle;

/** Makes a repeated create find the first one. Called inside the write that creates. */
public final class ClaimTable {
  private ClaimTable() {}

  /**
   * The target that this identity led to before, or nothing: then it leads to {@code target} now.
   *
   * @throws DsecException {@code conflict} when the identity came with other content before
   */
  public static Optional<String> take(Handle handle, Claim claim, String target, Instant now) {
    Optional<String> before = find(handle, claim);
    if (before.isEmpty()) {
      put(handle, claim, target, now);
    }
    return before;
  }

  /** As {@link #take}, and changes nothing. */
  public static Optional<String> find(Handle handle, Claim claim) {
    Optional<Row> before =
        handle
            .createQuery(
                "SELECT content, target FROM claims WHERE tenant = ? AND kind = ? AND name = ?")
            .bind(0, claim.tenant())
            .bind(1, claim.kind())
            .bind(2, claim.name())
            .map((rs, _) -> new Row(rs.getString(1), rs.getString(2)))
            .findOne();
    if (before.isPresent()) {
      if (!before.get().content.equals(claim.content())) {
        throw DsecException.of(
                ErrorCode.CONFLICT,
                "the idempotency key \"%s\" was used before with another body"
                    .formatted(claim.name()))
            .withHint("send the same body again, or a new key");
      }
    }
    return before.map(Row::target);
  }

  /** Points the identity to {@code target}, whatever it led to before. */
  public static void put(Handle handle, Claim claim, String target, Instant now) {
    handle.execute(
        "INSERT INTO claims (tenant, kind, name, content, target, created_at) VALUES (?, ?, ?, ?, ?, ?)"
            + " ON CONFLICT (tenant, kind, name) DO UPDATE SET content = excluded.content,"
            + " target = excluded.target, created_at = excluded.created_at",
        claim.tenant(),
        claim.kind(),
        claim.name(),
        claim.content(),
        target,
        Times.micros(now));
  }

  public static void forgetBefore(Handle handle, Instant time) {
    handle.execute("DELETE FROM claims WHERE created_at < ?", Times.micros(time));
  }

  private record Row(String content, String target) {}
}
