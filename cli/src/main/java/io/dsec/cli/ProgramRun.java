// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.term.Terminal;
import io.dsec.client.ConnectionException;
import io.dsec.client.DsecClient;
import io.dsec.link.Json;
import io.dsec.model.DsecException;
import io.dsec.model.Ending;
import io.dsec.model.ExecResult;
import io.dsec.model.ExecSpec;
import io.dsec.model.Limit;
import io.dsec.model.SandboxId;
import java.io.PrintStream;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Runs one program in a sandbox, its output passed through, and gives its exit code. */
final class ProgramRun {
  private static final int PIPE_CLOSED = 128 + 13;

  private final DsecClient client;
  private final Surroundings around;

  ProgramRun(DsecClient client, Surroundings around) {
    this.client = client;
    this.around = around;
  }

  int run(SandboxId sandbox, ExecSpec spec) {
    Terminal terminal = around.terminal();
    AtomicReference<@Nullable String> exec = new AtomicReference<>();
    try (OnExit.Step _ = around.onExit().push(() -> end(sandbox, exec.get()))) {
      ExecResult result =
          client
              .sandboxes()
              .exec(sandbox, spec, new RawOutput(terminal.out(), terminal.err(), exec::set));
      explain(result);
      return Exit.of(result.ending());
    } catch (RawOutput.ReaderGone _) {
      end(sandbox, exec.get());
      return PIPE_CLOSED;
    }
  }

  private void end(SandboxId sandbox, @Nullable String exec) {
    if (exec == null) {
      return;
    }
    try {
      client.sandboxes().processes(sandbox).remove(exec);
    } catch (DsecException | ConnectionException _) {
      // The exec has ended, or goes with its sandbox or its connection.
    }
  }

  /** A code alone cannot tell a timeout from {@code exit 124}: say what it was. */
  private void explain(ExecResult result) {
    String words =
        switch (result.ending()) {
          case Ending.Exited _ -> "";
          case Ending.Signaled _ -> EndingText.of(result.ending());
          case Ending.Timeout _ -> "timeout: the program was killed";
          case Ending.Oom _ -> "oom: the program was killed for memory";
          case Ending.Killed _, Ending.Lost _ -> EndingText.of(result.ending());
          case Ending.NotStarted(var _, String message) ->
              message.isEmpty() ? EndingText.of(result.ending()) : message;
        };
    String limits =
        result.limitsHit().stream()
            .filter(limit -> limit != Limit.OUTPUT) // all of it was passed on
            .map(Json::lower)
            .sorted()
            .collect(Collectors.joining(", "));
    if (words.isEmpty() && limits.isEmpty()) {
      return;
    }
    String separator = words.isEmpty() || limits.isEmpty() ? "" : "; ";
    try (PrintStream err = around.terminal().complain()) {
      err.println(
          around.terminal().errStyle().faint("dsec: ")
              + words
              + separator
              + (limits.isEmpty() ? "" : "limits hit: " + limits));
    }
  }
}
