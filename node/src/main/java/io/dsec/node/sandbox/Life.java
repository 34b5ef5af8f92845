// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import io.dsec.link.Placement;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.SandboxState;
import io.dsec.model.StateChange;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * State and history of one sandbox. {@link #become} is the only way to another state: it asks the
 * transition table, journals, and only then tells anyone.
 */
final class Life {
  private static final Logger log = LoggerFactory.getLogger(Life.class);

  private final Journal journal;
  private final Consumer<StateChange> announce;
  private final Runnable journalFailed;
  private final List<StateChange> history;
  private volatile SandboxState state;
  private boolean begun;

  /** {@code history}: what the journal holds, or for a new sandbox its first state. */
  Life(
      Journal journal,
      List<StateChange> history,
      Consumer<StateChange> announce,
      Runnable journalFailed) {
    this.journal = journal;
    this.history = new ArrayList<>(history);
    this.state = history.getLast().state();
    this.begun = history.getLast().state() != SandboxState.PREPARING;
    this.announce = announce;
    this.journalFailed = journalFailed;
  }

  /**
   * Writes the first lines of a new sandbox. False when it was removed before that: then nothing of
   * it is on disk, and nothing will be.
   */
  synchronized boolean begin(Placement placement) {
    if (history.size() > 1) {
      return false;
    }
    begun = true;
    write(true, new JournalEntry.Placed(placement), new JournalEntry.Changed(history.getFirst()));
    return true;
  }

  /** False when the present state does not allow it; then nothing has happened. */
  synchronized boolean become(StateChange next) {
    if (!state.mayBecome(next.state())) {
      return false;
    }
    if (begun) {
      write(next.state() == SandboxState.RUNNING, new JournalEntry.Changed(next));
    }
    history.add(next);
    state = next.state();
    announce.accept(next);
    return true;
  }

  /** Adds a line that is no change of state. */
  void note(JournalEntry entry) {
    write(false, entry);
  }

  void require(JournalEntry entry) {
    write(true, entry);
  }

  /** Growing needs its line on record; giving back goes on with a full disk, too. */
  private void write(boolean required, JournalEntry... entries) {
    try {
      journal.append(entries);
    } catch (IOException e) {
      journalFailed.run();
      if (required) {
        throw DsecException.of(
                ErrorCode.SANDBOX_FAILED, "the sandbox's journal cannot be written: " + e)
            .withCause(e);
      }
      log.error("a journal line could not be written: {}", e.toString());
    }
  }

  SandboxState state() {
    return state;
  }

  synchronized List<StateChange> history() {
    return List.copyOf(history);
  }

  synchronized StateChange last() {
    return history.getLast();
  }
}
