// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.server.batch.Batches;
import io.dsec.server.batch.Counts;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A batch as users see it; {@code rate} is ended tasks per second since its start. */
record BatchReply(
    String id,
    String name,
    String state,
    String tenant,
    Instant createdAt,
    @Nullable Instant endedAt,
    int total,
    Map<String, Integer> states,
    Map<String, Integer> endings,
    int succeeded,
    int faults,
    int retried,
    double rate) {

  static BatchReply of(Batches.View view, Instant now) {
    Counts counts = view.counts();
    Instant ended = view.batch().endedAt();
    double seconds =
        Duration.between(view.batch().createdAt(), ended == null ? now : ended).toNanos() / 1e9;
    return new BatchReply(
        view.batch().id(),
        view.batch().name(),
        view.batch().state(),
        view.batch().tenant(),
        view.batch().createdAt(),
        ended,
        view.batch().total(),
        counts.states(),
        counts.endings(),
        counts.succeeded(),
        counts.faults(),
        counts.retried(),
        seconds <= 0 ? 0 : counts.ended() / seconds);
  }
}
