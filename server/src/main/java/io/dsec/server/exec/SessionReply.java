// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.exec;

import io.dsec.model.ProcessInfo;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A shell session as users see it.
 *
 * @param state {@code idle}, {@code busy} or {@code ended}
 * @param process the shell's id among the processes
 * @param shell as it was asked for; null: the user's
 * @param run what it is busy with
 */
public record SessionReply(
    String id,
    String state,
    String process,
    @Nullable String shell,
    Instant startedAt,
    @Nullable Run run,
    @Nullable EndingReply ending) {
  /** A command that runs in a session. */
  public record Run(String id, String command, Instant startedAt) {}

  static SessionReply of(ProcessInfo shell, Optional<ProcessInfo> run) {
    String state = shell.ending().isPresent() ? "ended" : run.isPresent() ? "busy" : "idle";
    String program = shell.argv().getFirst();
    return new SessionReply(
        Sessions.name(shell).orElseThrow(),
        state,
        shell.id(),
        program.isEmpty() ? null : program,
        shell.startedAt(),
        run.map(r -> new Run(r.id(), r.argv().getFirst(), r.startedAt())).orElse(null),
        shell.ending().map(e -> EndingReply.of(e, shell.limitsHit())).orElse(null));
  }
}
