// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.store;

import java.time.Instant;

/** A list from the newest to the oldest goes on after what was created then under this id. */
public record Cursor(Instant createdAt, String id) {
  /** SQL that holds for what comes after; binds {@code :at} and {@code :id}. */
  public static final String AFTER = "(created_at < :at OR (created_at = :at AND id < :id))";
}
