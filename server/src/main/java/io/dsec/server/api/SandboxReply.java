// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Json;
import io.dsec.model.Guarantee;
import io.dsec.model.Reason;
import io.dsec.model.Resources;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxState;
import io.dsec.model.StateChange;
import io.dsec.model.Tier;
import io.dsec.server.sandbox.SandboxRecord;
import io.dsec.server.sandbox.Timings;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A sandbox as users see it. {@code reason} and {@code message} say why it is in its state. */
record SandboxReply(
    String id,
    SandboxState state,
    @Nullable String reason,
    @Nullable String message,
    String tenant,
    @Nullable String node,
    Tier tier,
    String image,
    @Nullable String imageDigest,
    Map<String, String> labels,
    @Nullable SandboxId parent,
    int attempt,
    Instant createdAt,
    @Nullable Instant startedAt,
    @Nullable Instant expiresAt,
    @Nullable Instant endedAt,
    Resources resources,
    Guarantee guaranteed,
    Timings timings) {

  static SandboxReply of(SandboxRecord r) {
    StateChange now = r.change();
    boolean plain = now.reason() == Reason.REQUESTED && now.state() != SandboxState.GONE;
    return new SandboxReply(
        r.id().value(),
        now.state(),
        plain ? null : Json.lower(now.reason()),
        now.message().isEmpty() ? null : now.message(),
        r.tenant(),
        r.node(),
        r.tier(),
        r.image(),
        r.imageDigest(),
        r.labels(),
        r.parent(),
        r.attempt(),
        r.createdAt(),
        r.startedAt(),
        r.expiresAt(),
        r.endedAt(),
        r.resources().explicit(),
        r.guaranteed(),
        r.timings());
  }
}
