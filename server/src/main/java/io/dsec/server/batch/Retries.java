// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.batch;

import io.dsec.model.Ending;
import java.util.Set;

/**
 * Which endings are tried again. Faults of the platform alone, whatever is listed: what a program
 * did is its result.
 *
 * @param on kinds of ending: {@code lost}, {@code killed}, {@code not_started}
 * @param max further attempts
 */
public record Retries(Set<String> on, int max) {
  public static final Retries NONE = new Retries(Set.of(), 0);
  public static final Set<String> KINDS = Set.of("lost", "killed", "not_started");

  public Retries {
    on = Set.copyOf(on);
  }

  boolean again(Ending ending, int attempt) {
    return ending.isFault() && on.contains(ending.kind()) && attempt <= max;
  }
}
