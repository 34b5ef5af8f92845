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
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * State and history of one sandbox. {@link #become} is the only way to another state: it asks the
 * transition table, journals, and only then tells anyone (with the state that was before).
 */
final class Life {
  private static final Logger log = LoggerFactory.getLogger(Life.class);

  private static final int MOST = 64;
  private static final int BEGINNING = 8;

  private final Journal journal;
  private final BiConsumer<SandboxState, StateChange> announce;
  private final Runnable journalFailed;
  private final List<StateChange> history;
  private int changes;
  private volatile SandboxState state;
  private boolean begun;

  /** {@code history}: what the journal holds, or for a new sandbox its first state. */
  Life(
      Journal journal,
      List<StateChange> history,
      BiConsumer<SandboxState, StateChange> announce,
      Runnable journalFailed) {
    this.journal = journal;
    this.history = new ArrayList<>(history);
    this.changes = history.size();
    bound();
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
    SandboxState before = state;
    if (begun) {
      boolean grows = before == SandboxState.PREPARING && next.state() == SandboxState.RUNNING;
      write(grows, new JournalEntry.Changed(next));
    }
    history.add(next);
    changes++;
    bound();
    state = next.state();
    announce.accept(before, next);
    return true;
  }

  /** One that is paused again and again keeps its beginning and what was last. */
  private void bound() {
    while (history.size() > MOST) {
      history.remove(BEGINNING);
    }
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

  /** How many there were, those too that are no longer in {@link #history}. */
  synchronized int changes() {
    return changes;
  }

  synchronized StateChange last() {
    return history.getLast();
  }
}
