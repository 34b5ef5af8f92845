// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import io.dsec.model.ExecResult;
import io.dsec.node.exec.Exec;
import io.dsec.node.exec.ExecSession;
import io.dsec.node.exec.ExecTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Takes over a sandbox after a restart of the node. What init's first Welcome says of the main
 * command decides how its exec goes on: from the acknowledged offsets, since the spool has what
 * lies before; or from the start, when the order to start never arrived.
 */
final class Adoption implements ExecSession.FirstWelcome {
  private static final long EXECS_PER_LIFE = 1_000_000;

  private final JournalView view;
  private final @Nullable MainRun main;
  private final Parts parts;
  private final List<Long> adopted = new ArrayList<>();
  private @Nullable Exec exec;

  Adoption(JournalView view, @Nullable MainRun main, Parts parts) {
    this.view = view;
    this.main = main;
    this.parts = parts;
  }

  /** Numbers used by earlier node processes lie below, without a line in the journal for each. */
  long firstExec() {
    return (view.adoptions() + 1) * EXECS_PER_LIFE;
  }

  @Override
  public void welcome(LongFunction<Optional<ExecSession.Acked>> acked) {
    for (JournalEntry.ProcessStarted process : view.processes()) {
      acked
          .apply(process.exec())
          .ifPresent(
              reached -> {
                execs()
                    .adopt(
                        process.exec(),
                        process.spec(),
                        process.at(),
                        reached.stdout(),
                        reached.stderr());
                adopted.add(process.exec());
              });
    }
    if (main == null || view.main().isPresent() || view.mainExec().isEmpty()) {
      return;
    }
    long number = view.mainExec().get();
    ExecSession.Acked reached = acked.apply(number).orElse(ExecSession.Acked.NOTHING);
    exec = main.adopt(execs(), number, reached.stdout(), reached.stderr());
  }

  /** After the Welcome. */
  void goOn(String user, Consumer<ExecResult> ended) {
    adopted.forEach(number -> execs().goOn(number));
    if (main == null) {
      return;
    }
    if (view.main().isPresent()) {
      main.restore(view.main().get());
      ended.accept(view.main().get().result());
    } else if (exec != null) {
      follow();
    } else {
      main.begin(execs(), Parts.need(parts.files, "files"), user);
    }
  }

  /**
   * Sees to it that the end of a main command that was taken over comes on record, also when the
   * rest of the take-over has failed. Safe to repeat.
   */
  void follow() {
    Exec taken = exec;
    exec = null;
    if (main != null && taken != null) {
      main.follow(execs(), taken);
    }
  }

  private ExecTable execs() {
    return Parts.need(parts.execs, "execs");
  }
}
