// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.model.Resources;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxState;
import io.dsec.model.Tier;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox as the server describes it.
 *
 * @param reason why it is in this state
 * @param node null while it waits for a place
 */
public record Sandbox(
    SandboxId id,
    SandboxState state,
    @Nullable String reason,
    @Nullable String message,
    @Nullable String tenant,
    @Nullable String node,
    @Nullable Tier tier,
    @Nullable String image,
    @Nullable String imageDigest,
    Map<String, String> labels,
    @Nullable Instant createdAt,
    @Nullable Instant startedAt,
    @Nullable Instant expiresAt,
    @Nullable Resources resources,
    Timings timings) {
  public Sandbox {
    labels = labels == null ? Map.of() : Map.copyOf(labels);
    timings = timings == null ? Timings.NONE : timings;
  }
}
