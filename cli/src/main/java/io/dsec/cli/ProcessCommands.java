// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.term.Figures;
import io.dsec.cli.term.Table;
import io.dsec.client.Processes;
import io.dsec.client.SandboxProcess;
import io.dsec.client.Sandboxes;
import io.dsec.link.ExecListener.Stream;
import io.dsec.model.SandboxId;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code dsec process …} */
final class ProcessCommands {
  private ProcessCommands() {}

  @Command(name = "process", description = "Commands of a sandbox: look, read, signal, remove.")
  static final class Root extends Group {}

  /** What all but the list need. */
  abstract static class OfOne extends OfSandbox {
    @Parameters(index = "1", paramLabel = "PROCESS", description = "For example e-3.")
    private String process = "";

    OfOne(Surroundings around) {
      super(around);
    }

    @Override
    int run(Sandboxes sandboxes, SandboxId id) {
      return run(sandboxes.processes(id), process);
    }

    abstract int run(Processes processes, String process);
  }

  @Command(name = "ls", description = "List the commands of a sandbox, newest first.")
  static final class Ls extends OfSandbox {
    @Mixin private final Output output = new Output();

    Ls(Surroundings around) {
      super(around);
    }

    @Override
    int run(Sandboxes sandboxes, SandboxId id) {
      List<SandboxProcess> processes = sandboxes.processes(id).list();
      if (output.json()) {
        Output.print(around.terminal(), processes);
        return Exit.FINE;
      }
      Table table =
          new Table(
              around.terminal().outStyle(),
              "PROCESS",
              "STATE",
              "ENDING",
              ">STDOUT",
              ">STDERR",
              "COMMAND");
      for (SandboxProcess p : processes) {
        table.row(
            p.id(),
            p.state(),
            Processes.ending(p).map(EndingText::of).orElse("-"),
            Figures.size(p.stdoutBytes()),
            Figures.size(p.stderrBytes()),
            String.join(" ", p.argv()));
      }
      table.lines().forEach(out()::println);
      return Exit.FINE;
    }
  }

  @Command(name = "logs", description = "Print what is kept of a command's output.")
  static final class Logs extends OfOne {
    @Option(
        names = {"-f", "--follow"},
        description = "Wait for more until the stream ends.")
    private boolean follow;

    @Option(names = "--stderr", description = "Standard error in place of standard output.")
    private boolean stderr;

    @Option(names = "--offset", paramLabel = "N", description = "Begin at this byte.")
    private long offset;

    Logs(Surroundings around) {
      super(around);
    }

    @Override
    int run(Processes processes, String process) {
      Stream stream = stderr ? Stream.STDERR : Stream.STDOUT;
      try (InputStream in = processes.output(process, stream, offset, follow)) {
        in.transferTo(around.terminal().out());
        around.terminal().out().flush();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return Exit.FINE;
    }
  }

  @Command(name = "signal", description = "Send a signal to a command.")
  static final class SendSignal extends OfOne {
    @Option(
        names = {"-s", "--signal"},
        paramLabel = "SIGNAL",
        description = "Default: TERM.")
    private String signal = "TERM";

    @Option(names = "--group", description = "To its whole process group.")
    private boolean group;

    SendSignal(Surroundings around) {
      super(around);
    }

    @Override
    int run(Processes processes, String process) {
      processes.signal(process, signal, group);
      return Exit.FINE;
    }
  }

  @Command(name = "rm", description = "Kill what is left of a command and drop its record.")
  static final class Rm extends OfOne {
    Rm(Surroundings around) {
      super(around);
    }

    @Override
    int run(Processes processes, String process) {
      processes.remove(process);
      return Exit.FINE;
    }
  }
}
