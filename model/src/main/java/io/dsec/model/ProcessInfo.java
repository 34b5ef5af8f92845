// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A command of a sandbox, waited for or in the background, as it can be looked up while it runs and
 * for a while after its end.
 *
 * @param argv as given; with {@code shell} one text
 * @param terminal it runs on one
 * @param session what it is of a shell session, if anything
 * @param ending empty while it runs
 * @param limitsHit known with the ending
 * @param duration from start to end, known with the ending
 * @param stdoutBytes of the stream so far, kept or not
 * @param stderrBytes of the stream so far, kept or not
 */
public record ProcessInfo(
    String id,
    List<String> argv,
    boolean shell,
    boolean background,
    boolean terminal,
    Optional<SessionPart> session,
    Instant startedAt,
    Optional<Ending> ending,
    Set<Limit> limitsHit,
    Optional<Duration> duration,
    long stdoutBytes,
    long stderrBytes) {
  public ProcessInfo {
    argv = List.copyOf(argv);
    limitsHit = Set.copyOf(limitsHit);
  }
}
