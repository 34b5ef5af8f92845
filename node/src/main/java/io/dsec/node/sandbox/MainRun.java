// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import io.dsec.link.SandboxFiles;
import io.dsec.model.Bytes;
import io.dsec.model.DsecException;
import io.dsec.model.Ending;
import io.dsec.model.ExecResult;
import io.dsec.model.FileEntry;
import io.dsec.model.FileSpec;
import io.dsec.model.MainCommand;
import io.dsec.model.Reason;
import io.dsec.model.SandboxState;
import io.dsec.model.StateChange;
import io.dsec.node.exec.Exec;
import io.dsec.node.exec.ExecTable;
import io.dsec.node.files.FileAgents;
import io.dsec.node.files.GuestFiles;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The main command of a task: its files first, then the command, whose end is journalled before
 * anyone hears of it.
 */
final class MainRun {
  private final MainCommand command;
  private final Life life;
  private final Consumer<ExecResult> onEnd;
  private final CountDownLatch recorded = new CountDownLatch(1);
  private volatile boolean followed;
  private volatile @Nullable MainResult result;

  /** {@code onEnd} is called once, on a thread of its own, after the end is on record. */
  MainRun(MainCommand command, Life life, Consumer<ExecResult> onEnd) {
    this.command = command;
    this.life = life;
    this.onEnd = onEnd;
  }

  Optional<MainResult> result() {
    return Optional.ofNullable(result);
  }

  /** Returns once init has the command, or its refusal is known. */
  void begin(ExecTable execs, FileAgents files, String user) {
    long number = execs.reserve();
    Exec exec;
    try {
      if (!command.files().isEmpty()) {
        write(files, command.exec().user().orElse(user));
      }
      life.require(new JournalEntry.MainStarted(number));
      exec = execs.start(number, command.exec(), false);
    } catch (DsecException e) {
      exec = execs.refuse(number, command.exec(), refused(e));
    } catch (IOException | RuntimeException e) {
      exec = execs.refuse(number, command.exec(), interrupted(e));
    }
    follow(execs, exec);
  }

  /** Nothing of it stays in the sandbox for the main command to see. */
  private void write(FileAgents files, String user) throws IOException {
    SandboxFiles target = new GuestFiles(files, Optional.of(user));
    for (FileSpec file : command.files()) {
      OptionalInt mode = file.mode() == 0 ? OptionalInt.empty() : OptionalInt.of(file.mode());
      FileEntry _ = target.write(Bytes.utf8(file.path()), mode, file.content().stream());
    }
    files.rest();
  }

  /** What the sandbox's own state forbids is told apart from a sandbox that does not answer. */
  private Ending refused(DsecException e) {
    return switch (e.code()) {
      case SANDBOX_FAILED, GONE, TIMEOUT -> interrupted(e);
      default -> notStarted(Reason.FILES_REFUSED, e);
    };
  }

  private Ending interrupted(Exception e) {
    StateChange last = life.last();
    return last.state() == SandboxState.STOPPING
        ? new Ending.Killed(last.reason())
        : notStarted(Reason.CHANNEL_BROKEN, e);
  }

  private static Ending notStarted(Reason reason, Exception e) {
    return new Ending.NotStarted(reason, String.valueOf(e.getMessage()));
  }

  /** Takes over a command that an earlier node process had started; {@link #follow} comes later. */
  Exec adopt(ExecTable execs, long number, long stdoutAcked, long stderrAcked) {
    return execs.adopt(number, command.exec(), life.last().at(), stdoutAcked, stderrAcked);
  }

  /** Its end was on record before this process began. */
  void restore(MainResult known) {
    result = known;
  }

  /** Puts its end on record when it comes. */
  void follow(ExecTable execs, Exec exec) {
    followed = true;
    Thread.ofVirtual().name("main").start(() -> finish(execs, exec));
  }

  private void finish(ExecTable execs, Exec exec) {
    ExecResult ended = execs.await(exec);
    MainResult kept = MainResult.of(ended, command.exec().maxOutput());
    life.note(new JournalEntry.MainEnded(kept));
    result = kept;
    execs.handedOver(exec, true);
    recorded.countDown();
    onEnd.accept(ended);
  }

  /** After all execs were ended: returns once this one is on record. */
  void awaitRecorded() {
    if (followed) {
      try {
        recorded.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
