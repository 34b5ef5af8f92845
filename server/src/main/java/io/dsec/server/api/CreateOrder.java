// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Json;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxSpec;
import io.dsec.model.Tier;
import io.dsec.server.admit.CreateLimit;
import io.dsec.server.sandbox.NewSandbox;
import io.dsec.server.schedule.NodeDirectory;
import io.dsec.server.schedule.TierChoice;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Sandboxes that a client may have now, and what asked for them where that may be kept. */
record CreateOrder(String tenant, SandboxSpec spec, Tier tier, Optional<String> request) {
  /** An error when they cannot run anywhere, or the client creates too fast. */
  static CreateOrder admit(
      Exchange exchange,
      CreateRequest request,
      JsonNode body,
      NodeDirectory nodes,
      CreateLimit limit) {
    String tenant = exchange.caller().tenant();
    SandboxSpec spec = request.spec(Optional.empty());
    Tier tier = TierChoice.resolve(spec.isolation(), request.traitSet(), nodes.members());
    limit.admit(tenant);
    Optional<String> kept =
        request.hasSecrets()
            ? Optional.empty()
            : Optional.of(Json.mapper().writeValueAsString(body));
    return new CreateOrder(tenant, spec, tier, kept);
  }

  NewSandbox sandbox(SandboxId id) {
    return NewSandbox.of(id, tenant, spec, tier).keeping(request);
  }
}
