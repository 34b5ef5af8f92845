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
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * All that the server knows of one sandbox; also the document kept in the database.
 *
 * @param parent the sandbox that it was forked from
 * @param history changes, oldest first, never empty
 * @param failure why its start failed, if it did
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
    @Nullable SandboxId parent,
    @Nullable String node,
    Tier tier,
    Instant createdAt,
    @Nullable Instant startedAt,
    @Nullable Instant expiresAt,
    @Nullable Instant endedAt,
    Timings timings,
    List<StateChange> history,
    @Nullable StartFailure failure) {
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
    return with(draft -> draft.history = steps);
  }

  SandboxRecord withTimings(Timings newTimings) {
    return with(draft -> draft.timings = newTimings);
  }

  SandboxRecord withExpiry(Instant at) {
    return with(draft -> draft.expiresAt = at);
  }

  SandboxRecord withNode(@Nullable String newNode, @Nullable Instant expiry) {
    return with(
        draft -> {
          draft.node = newNode;
          draft.expiresAt = expiry;
        });
  }

  SandboxRecord withStart(Tier realTier, String digest, Instant at, Timings newTimings) {
    return with(
        draft -> {
          draft.tier = realTier;
          draft.imageDigest = digest;
          draft.startedAt = at;
          draft.timings = newTimings;
        });
  }

  SandboxRecord withFailure(StartFailure error) {
    return with(draft -> draft.failure = error);
  }

  SandboxRecord withEnd(@Nullable Instant at) {
    return with(draft -> draft.endedAt = at);
  }

  private SandboxRecord with(Consumer<Draft> change) {
    Draft draft = new Draft();
    change.accept(draft);
    return draft.finish();
  }

  /** A copy in which what changes in a sandbox's life may be changed. */
  private final class Draft {
    @Nullable String imageDigest = SandboxRecord.this.imageDigest;
    @Nullable String node = SandboxRecord.this.node;
    Tier tier = SandboxRecord.this.tier;
    @Nullable Instant startedAt = SandboxRecord.this.startedAt;
    @Nullable Instant expiresAt = SandboxRecord.this.expiresAt;
    @Nullable Instant endedAt = SandboxRecord.this.endedAt;
    Timings timings = SandboxRecord.this.timings;
    List<StateChange> history = SandboxRecord.this.history;
    @Nullable StartFailure failure = SandboxRecord.this.failure;

    SandboxRecord finish() {
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
          parent,
          node,
          tier,
          createdAt,
          startedAt,
          expiresAt,
          endedAt,
          timings,
          history,
          failure);
    }
  }
}
