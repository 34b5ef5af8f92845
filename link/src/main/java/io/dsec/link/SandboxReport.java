// SPDX-License-Identifier: Apache-2.0
package io.dsec.link;

import io.dsec.model.ExecResult;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxState;
import io.dsec.model.StateChange;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What a node says of one sandbox.
 *
 * @param history changes so far, oldest first, without the middle of a very long one; the last one
 *     is the present state
 * @param changes how many there were: of two reports, the one with more is the later
 * @param main result of the main command, once it ended (tasks only)
 */
public record SandboxReport(
    SandboxId id,
    String node,
    long epoch,
    List<StateChange> history,
    int changes,
    Instant expiresAt,
    Optional<ExecResult> main) {
  public SandboxReport {
    Objects.requireNonNull(id);
    history = List.copyOf(history);
    if (history.isEmpty()) {
      throw new IllegalArgumentException("a sandbox report without a state: " + id);
    }
  }

  public StateChange last() {
    return history.getLast();
  }

  public SandboxState state() {
    return last().state();
  }
}
