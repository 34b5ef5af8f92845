// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A command of a sandbox, as the server tells of it.
 *
 * @param shell {@code argv} is one text for the shell
 * @param background nobody waits for it
 * @param terminal it runs on one
 * @param session of which it is the shell, or a run
 * @param state {@code running} or {@code ended}
 * @param ending null while it runs; see {@link Processes#ending}
 * @param stdoutBytes of the stream so far, kept or not
 * @param stderrBytes of the stream so far, kept or not
 */
public record SandboxProcess(
    String id,
    List<String> argv,
    boolean shell,
    boolean background,
    boolean terminal,
    @Nullable String session,
    String state,
    Instant startedAt,
    @Nullable JsonNode ending,
    @Nullable Double durationSeconds,
    long stdoutBytes,
    long stderrBytes) {
  public SandboxProcess {
    argv = List.copyOf(argv);
  }

  public boolean ended() {
    return state.equals("ended");
  }
}
