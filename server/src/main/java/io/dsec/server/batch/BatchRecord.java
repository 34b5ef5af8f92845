// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.batch;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The head of a batch. {@code state}: {@code running}, {@code cancelling}, {@code finished}, {@code
 * cancelled}.
 */
public record BatchRecord(
    String id,
    String tenant,
    String name,
    String state,
    int total,
    String document,
    Instant createdAt,
    @Nullable Instant endedAt) {
  BatchRecord ended(String how, Instant at) {
    return new BatchRecord(id, tenant, name, how, total, document, createdAt, at);
  }

  BatchRecord in(String newState) {
    return new BatchRecord(id, tenant, name, newState, total, document, createdAt, endedAt);
  }
}
