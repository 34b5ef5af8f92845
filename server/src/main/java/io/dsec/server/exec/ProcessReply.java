// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.exec;

import io.dsec.model.ProcessInfo;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A process as users see it; {@code shell} tells that {@code argv} is one text for the shell.
 *
 * @param session of which it is the shell, or a run
 */
public record ProcessReply(
    String id,
    List<String> argv,
    boolean shell,
    boolean background,
    boolean terminal,
    @Nullable String session,
    String state,
    Instant startedAt,
    @Nullable EndingReply ending,
    @Nullable Double durationSeconds,
    long stdoutBytes,
    long stderrBytes) {
  public static ProcessReply of(ProcessInfo process) {
    return new ProcessReply(
        process.id(),
        process.argv(),
        process.shell(),
        process.background(),
        process.terminal(),
        Sessions.name(process).orElse(null),
        process.ending().isPresent() ? "ended" : "running",
        process.startedAt(),
        process.ending().map(e -> EndingReply.of(e, process.limitsHit())).orElse(null),
        process.duration().map(d -> d.toNanos() / 1e9).orElse(null),
        process.stdoutBytes(),
        process.stderrBytes());
  }
}
