// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import io.dsec.link.SandboxReport;
import io.dsec.model.SandboxId;
import io.dsec.model.StateChange;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What is left of a sandbox until the server has stored its end: its record, on disk and here. */
record EndedSandbox(
    SandboxId id,
    List<StateChange> history,
    int changes,
    Instant expiresAt,
    Optional<MainResult> main,
    Path directory) {
  EndedSandbox {
    history = List.copyOf(history);
  }

  StateChange last() {
    return history.getLast();
  }

  SandboxReport report(String node, long epoch) {
    return new SandboxReport(
        id, node, epoch, history, changes, expiresAt, main.map(result -> result.load(directory)));
  }

  EndedSandbox with(StateChange next) {
    List<StateChange> longer = new ArrayList<>(history);
    longer.add(next);
    return new EndedSandbox(id, longer, changes + 1, expiresAt, main, directory);
  }
}
