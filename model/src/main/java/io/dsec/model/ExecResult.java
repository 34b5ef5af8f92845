// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

import java.time.Duration;
import java.util.Objects;
import java.util.Set;

/**
 * What an exec left behind.
 *
 * @param id {@code e-N}, unique in its sandbox
 * @param stdout kept bytes: head and tail joined when truncated
 * @param stdoutBytes bytes written in all
 * @param duration from the program's start to its end
 * @param firstSeq first and last trajectory sequence number of the exec; 0 and 0 without recording
 */
public record ExecResult(
    String id,
    Ending ending,
    Set<Limit> limitsHit,
    Bytes stdout,
    Bytes stderr,
    long stdoutBytes,
    long stderrBytes,
    Duration duration,
    long firstSeq,
    long lastSeq) {
  public ExecResult {
    Objects.requireNonNull(id);
    Objects.requireNonNull(ending);
    limitsHit = Set.copyOf(limitsHit);
  }

  /** An end of which nothing else is known. */
  public static ExecResult without(String id, Ending ending) {
    return new ExecResult(
        id, ending, Set.of(), Bytes.EMPTY, Bytes.EMPTY, 0, 0, Duration.ZERO, 0, 0);
  }

  public boolean stdoutTruncated() {
    return stdoutBytes > stdout.length();
  }

  public boolean stderrTruncated() {
    return stderrBytes > stderr.length();
  }
}
