// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Calls about API keys; for admins. */
public final class Keys {
  private static final String BASE = "/v1/keys";
  private final Transport transport;

  Keys(Transport transport) {
    this.transport = transport;
  }

  /** {@code {id, key}}; the key is never told again. */
  public JsonNode issue(
      Optional<String> tenant, Optional<String> role, Optional<Duration> expiresIn) {
    Map<String, Object> request = new HashMap<>();
    tenant.ifPresent(name -> request.put("tenant", name));
    role.ifPresent(name -> request.put("role", name));
    expiresIn.ifPresent(time -> request.put("expires_in", time.toMillis() / 1e3));
    return transport.json("POST", BASE, request, DsecClient.CALL);
  }

  public List<JsonNode> list() {
    return Pages.all(transport, Query.of(BASE), "keys");
  }

  public void revoke(String id) {
    transport.json("DELETE", BASE + "/" + Query.segment(id), null, DsecClient.CALL);
  }
}
