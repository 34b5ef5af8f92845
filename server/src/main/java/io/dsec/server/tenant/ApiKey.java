// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.tenant;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the server keeps of a key: never the key itself. {@code hash} is its SHA-256 in hex. */
public record ApiKey(
    String id,
    String hash,
    String tenant,
    Role role,
    Instant createdAt,
    @Nullable Instant expiresAt) {
  public ApiKey {
    Objects.requireNonNull(id);
    Objects.requireNonNull(hash);
    Objects.requireNonNull(tenant);
    Objects.requireNonNull(role);
    Objects.requireNonNull(createdAt);
  }

  boolean expiredAt(Instant now) {
    return expiresAt != null && !now.isBefore(expiresAt);
  }
}
