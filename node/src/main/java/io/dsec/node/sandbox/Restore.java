// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import io.dsec.model.Ending;
import io.dsec.model.ExecResult;
import io.dsec.model.Reason;
import io.dsec.model.SandboxState;
import io.dsec.model.StateChange;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What becomes of a sandbox that an earlier node process has left, decided from its journal and its
 * init alone:
 *
 * <pre>
 *  journal says        init lives   becomes
 *  PREPARING           -            failed (node_restarted)
 *  RUNNING PAUSED      yes          taken over
 *  RUNNING PAUSED      no           failed (init_died)
 *  STOPPING            -            gone, for the reason it was being stopped
 *  FAILED GONE         -            as it is
 * </pre>
 *
 * A main command without a journalled end ends as lost or, in a sandbox that was being stopped, as
 * killed. Kernel objects of all but the second row are orphans, and swept as such.
 */
final class Restore {
  private static final Logger log = LoggerFactory.getLogger(Restore.class);

  private final SandboxSupport support;
  private final Sandboxes sandboxes;

  Restore(SandboxSupport support, Sandboxes sandboxes) {
    this.support = support;
    this.sandboxes = sandboxes;
  }

  /** Reads all journals; takes over what lives, in parallel, since an init may not answer. */
  void run(Set<Path> directories) {
    List<Thread> adoptions = new ArrayList<>();
    for (Path directory : directories) {
      read(directory)
          .ifPresent(
              view -> {
                if (lives(view)) {
                  adoptions.add(adopt(view));
                } else {
                  sandboxes.restore(close(directory, view));
                }
              });
    }
    for (Thread adoption : adoptions) {
      try {
        adoption.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static Optional<JournalView> read(Path directory) {
    try {
      return JournalView.read(directory);
    } catch (IOException e) {
      log.warn("{}: the journal cannot be read: {}", directory, e.toString());
      return Optional.empty();
    }
  }

  private static boolean lives(JournalView view) {
    SandboxState state = view.last().state();
    return (state == SandboxState.RUNNING || state == SandboxState.PAUSED)
        && view.launched().map(l -> new InitProcess(l.pid(), l.startTicks()).alive()).orElse(false);
  }

  private Thread adopt(JournalView view) {
    Sandbox sandbox = Sandbox.found(view, support);
    sandboxes.adopt(sandbox);
    support.metrics().repaired("adopted");
    return Thread.ofVirtual().name("adopt").start(() -> sandbox.adopt(view));
  }

  private EndedSandbox close(Path directory, JournalView view) {
    List<JournalEntry> lines = new ArrayList<>();
    List<StateChange> history = new ArrayList<>(view.history());
    last(view)
        .ifPresent(
            change -> {
              history.add(change);
              lines.add(new JournalEntry.Changed(change));
              support.metrics().repaired("closed");
            });
    Optional<MainResult> main = view.main();
    if (main.isEmpty() && view.placement().spec().isTask()) {
      main = Optional.of(unknown(view, history.getLast()));
      lines.add(new JournalEntry.MainEnded(main.get()));
    }
    write(directory, lines);
    return new EndedSandbox(
        view.placement().id(), history, history.size(), view.expiresAt(), main, directory);
  }

  private Optional<StateChange> last(JournalView view) {
    StateChange now = view.last();
    return switch (now.state()) {
      case QUEUED, PLACING, PREPARING ->
          change(
              SandboxState.FAILED, Reason.NODE_RESTARTED, "the node restarted while it was made");
      case RUNNING, PAUSED ->
          change(SandboxState.FAILED, Reason.INIT_DIED, "its init died while no node watched");
      case STOPPING -> change(SandboxState.GONE, now.reason(), now.message());
      case FAILED, GONE -> Optional.empty();
    };
  }

  private Optional<StateChange> change(SandboxState state, Reason reason, String message) {
    return Optional.of(new StateChange(state, reason, message, support.clock().instant()));
  }

  private static MainResult unknown(JournalView view, StateChange last) {
    Ending ending =
        last.state() == SandboxState.GONE
            ? new Ending.Killed(last.reason())
            : new Ending.Lost(last.reason());
    return new MainResult(
        ExecResult.without("e-" + view.mainExec().orElse(0L), ending), false, false, 0);
  }

  private void write(Path directory, List<JournalEntry> lines) {
    if (lines.isEmpty()) {
      return;
    }
    try (Journal journal = new Journal(directory)) {
      journal.append(lines.toArray(JournalEntry[]::new));
    } catch (IOException e) {
      support.metrics().journalError();
    }
  }
}
