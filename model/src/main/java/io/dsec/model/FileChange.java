// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

import java.util.Optional;

/**
 * Something that happened to a watched file.
 *
 * @param path where, after it; empty for {@link Kind#OVERFLOW}
 * @param from where it was, when it moved
 */
public record FileChange(Kind kind, Bytes path, Optional<Bytes> from, boolean directory) {
  public enum Kind {
    CREATE,
    MODIFY,
    DELETE,
    RENAME,
    CHMOD,
    /** Changes were lost. */
    OVERFLOW,
    /** What was watched is gone; nothing follows. */
    GONE
  }
}
