// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.model.ExecSpec;
import java.time.Instant;

/**
 * How an exec begins.
 *
 * @param awaited a caller in this process waits for its result
 * @param followed whoever waits takes its output meanwhile
 * @param stdoutAcked where its output continues; not 0 only for one taken over after a restart
 * @param refusedBefore how often the sandbox's pids limit had refused a fork before it
 */
record Beginning(
    long number,
    ExecSpec spec,
    Instant at,
    boolean awaited,
    boolean followed,
    long stdoutAcked,
    long stderrAcked,
    long refusedBefore) {
  String id() {
    return "e-" + number;
  }
}
