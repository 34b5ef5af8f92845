// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import io.dsec.link.Placement;
import io.dsec.model.ExecSpec;
import io.dsec.model.StateChange;
import io.dsec.node.exec.ExecDefaults;
import java.time.Instant;

/** One line of a sandbox's journal. */
sealed interface JournalEntry {
  /** The order; always the first line. */
  record Placed(Placement placement) implements JournalEntry {}

  record Changed(StateChange change) implements JournalEntry {}

  /**
   * init runs.
   *
   * @param startTicks tells its pid from a later process of the same number
   * @param idBase first host id of its range
   */
  record Launched(long pid, long startTicks, int idBase, String imageDigest, ExecDefaults defaults)
      implements JournalEntry {}

  /** The main command is about to be handed to init under this number. */
  record MainStarted(long exec) implements JournalEntry {}

  record MainEnded(MainResult main) implements JournalEntry {}

  /** A background process is about to be started under this number. */
  record ProcessStarted(long exec, ExecSpec spec, Instant at) implements JournalEntry {}

  record Renewed(Instant expiresAt) implements JournalEntry {}

  /** Another node process took the sandbox over. */
  record Adopted(long epoch) implements JournalEntry {}
}
