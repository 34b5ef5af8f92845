// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.sandbox;

import io.dsec.model.SandboxState;
import io.dsec.server.store.Cursor;
import java.util.Map;
import java.util.Optional;

/** Which sandboxes a list shows: of one tenant, with all of these labels, in this state. */
public record SandboxFilter(
    String tenant,
    Map<String, String> labels,
    Optional<SandboxState> state,
    Optional<Cursor> cursor) {
  public SandboxFilter {
    labels = Map.copyOf(labels);
  }

  /** An end is the only thing asked for. */
  boolean endedOnly() {
    return state.filter(s -> s == SandboxState.GONE || s == SandboxState.FAILED).isPresent();
  }

  boolean openOnly() {
    return state.isPresent() && !endedOnly();
  }

  boolean accepts(SandboxRecord record) {
    return record.tenant().equals(tenant)
        && record.labels().entrySet().containsAll(labels.entrySet())
        && (state.isEmpty() || state.get() == record.state())
        && (cursor.isEmpty() || isAfter(cursor.get(), record));
  }

  private static boolean isAfter(Cursor cursor, SandboxRecord record) {
    int order = record.createdAt().compareTo(cursor.createdAt());
    return order < 0 || (order == 0 && record.id().value().compareTo(cursor.id()) < 0);
  }
}
