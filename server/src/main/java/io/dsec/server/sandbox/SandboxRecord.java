// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.sandbox;

import io.dsec.model.Guarantee;
import io.dsec.model.Priority;
import io.dsec.model.Resources;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxState;
import io.dsec.model.StateChange;
import io.dsec.model.Tier;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All that the server knows of one sandbox; also the document kept in the database.
 *
 * @param history every change, oldest first, never empty
 * @param expiresAt absolute end; null while it waits for a node, since its life has not begun
 */
public record SandboxRecord(
    SandboxId id,
    String tenant,
    String owner,
    int attempt,
    Priority priority,
    String image,
    @Nullable String imageDigest,
    Resources resources,
    Guarantee guaranteed,
    Map<String, String> labels,
    @Nullable String node,
    Tier tier,
    Instant createdAt,
    @Nullable Instant startedAt,
    @Nullable Instant expiresAt,
    @Nullable Instant endedAt,
    Timings timings,
    List<StateChange> history) {
  public SandboxRecord {
    labels = Map.copyOf(labels);
    history = List.copyOf(history);
  }

  /** The present state; one that failed stays {@code failed} once it is gone. */
  public StateChange change() {
    for (StateChange step : history) {
      if (step.state() == SandboxState.FAILED) {
        return step;
      }
    }
    return history.getLast();
  }

  public SandboxState state() {
    return change().state();
  }

  SandboxRecord withHistory(List<StateChange> steps) {
    return new SandboxRecord(
        id,
        tenant,
        owner,
        attempt,
        priority,
        image,
        imageDigest,
        resources,
        guaranteed,
        labels,
        node,
        tier,
        createdAt,
        startedAt,
        expiresAt,
        endedAt,
        timings,
        steps);
  }

  SandboxRecord withTimings(Timings newTimings) {
    return new SandboxRecord(
        id,
        tenant,
        owner,
        attempt,
        priority,
        image,
        imageDigest,
        resources,
        guaranteed,
        labels,
        node,
        tier,
        createdAt,
        startedAt,
        expiresAt,
        endedAt,
        newTimings,
        history);
  }

  SandboxRecord withExpiry(Instant at) {
    return new SandboxRecord(
        id,
        tenant,
        owner,
        attempt,
        priority,
        image,
        imageDigest,
        resources,
        guaranteed,
        labels,
        node,
        tier,
        createdAt,
        startedAt,
        at,
        endedAt,
        timings,
        history);
  }

  SandboxRecord withNode(@Nullable String newNode, @Nullable Instant expiry) {
    return new SandboxRecord(
        id,
        tenant,
        owner,
        attempt,
        priority,
        image,
        imageDigest,
        resources,
        guaranteed,
        labels,
        newNode,
        tier,
        createdAt,
        startedAt,
        expiry,
        endedAt,
        timings,
        history);
  }

  SandboxRecord withStart(Tier realTier, String digest, Instant at, Timings newTimings) {
    return new SandboxRecord(
        id,
        tenant,
        owner,
        attempt,
        priority,
        image,
        digest,
        resources,
        guaranteed,
        labels,
        node,
        realTier,
        createdAt,
        at,
        expiresAt,
        endedAt,
        newTimings,
        history);
  }

  SandboxRecord withEnd(@Nullable Instant at) {
    return new SandboxRecord(
        id,
        tenant,
        owner,
        attempt,
        priority,
        image,
        imageDigest,
        resources,
        guaranteed,
        labels,
        node,
        tier,
        createdAt,
        startedAt,
        expiresAt,
        at,
        timings,
        history);
  }
}
