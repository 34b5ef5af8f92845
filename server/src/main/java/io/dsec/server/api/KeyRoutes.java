// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.DsecException;
import io.dsec.server.tenant.ApiKey;
import io.dsec.server.tenant.KeyRing;
import io.dsec.server.tenant.Role;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** API keys; for admins. */
final class KeyRoutes {
  private final KeyRing keys;

  KeyRoutes(KeyRing keys) {
    this.keys = keys;
  }

  record KeyRequest(@Nullable String tenant, @Nullable Role role, @Nullable JsonNode expiresIn) {}

  record Issued(String id, String key) {}

  record Page(List<KeyReply> keys, @Nullable String nextCursor) {}

  record KeyReply(
      String id, String tenant, Role role, Instant createdAt, @Nullable Instant expiresAt) {
    static KeyReply of(ApiKey key) {
      return new KeyReply(key.id(), key.tenant(), key.role(), key.createdAt(), key.expiresAt());
    }
  }

  void issue(Exchange exchange) throws IOException {
    KeyRequest request = exchange.optionalBody(KeyRequest.class);
    String tenant = request.tenant == null ? KeyRing.DEFAULT_TENANT : request.tenant;
    if (!tenant.matches("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")) {
      throw DsecException.invalid(
          "tenant", "tenant is \"%s\"; use a-z, 0-9 and '-', at most 63".formatted(tenant));
    }
    KeyRing.IssuedKey issued =
        keys.issue(
            tenant,
            request.role == null ? Role.USER : request.role,
            Amount.duration("expires_in", request.expiresIn));
    exchange.reply(201, new Issued(issued.record().id(), issued.secret()));
  }

  void list(Exchange exchange) {
    exchange.reply(200, new Page(keys.all().stream().map(KeyReply::of).toList(), null));
  }

  void revoke(Exchange exchange) {
    if (!keys.revoke(exchange.path("id"))) {
      throw DsecException.notFound("key", exchange.path("id"));
    }
    exchange.noContent();
  }
}
