// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.batch;

import io.dsec.cli.Connection;
import io.dsec.cli.Exit;
import io.dsec.cli.Group;
import io.dsec.cli.OnExit;
import io.dsec.cli.ServerAccess;
import io.dsec.cli.Surroundings;
import io.dsec.cli.term.Terminal;
import io.dsec.client.Batch;
import io.dsec.client.Batches;
import io.dsec.link.Json;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.SerializationFeature;

/** {@code dsec batch …} */
public final class BatchCommands {
  private BatchCommands() {}

  @Command(name = "batch", description = "Run many tasks, each in a sandbox of its own.")
  public static final class Root extends Group {}

  @Command(
      name = "run",
      description = {
        "Run a batch file (YAML or JSON) and show how its tasks ended.",
        "Without a server, one is started in this process for the length of the command."
      },
      footer = {
        "",
        "Exit code: 0 when every task has an ending that is no platform fault, else 1;",
        "with --strict: 0 when every task exited 0."
      })
  public static final class Run implements Callable<Integer> {
    private static final Duration GRACE = Duration.ofSeconds(1);
    private static final Duration CANCEL_WAIT = Duration.ofMillis(100);
    private static final int CANCEL_TRIES = 200;

    private final Surroundings around;
    @Mixin private final Connection connection;

    @Parameters(paramLabel = "FILE", description = "The batch file.")
    private Path file = Path.of("");

    @Option(names = "--watch", description = "Also tell of each task as it ends.")
    private boolean watch;

    @Option(names = "--out", paramLabel = "FILE", description = "Write all results as JSON lines.")
    private Optional<Path> out = Optional.empty();

    @Option(names = "--strict", description = "Fail unless every task exited 0.")
    private boolean strict;

    public Run(Surroundings around) {
      this.around = around;
      this.connection = new Connection(around.terminal().environment());
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
      BatchFile batch = BatchFile.read(file);
      try (Writer results = out.isPresent() ? Files.newBufferedWriter(out.get()) : null;
          ServerAccess access = ServerAccess.open(connection, around)) {
        return run(access.client().batches(), batch, results);
      }
    }

    private int run(Batches batches, BatchFile file, @Nullable Writer results)
        throws InterruptedException {
      Terminal terminal = around.terminal();
      Instant began = around.clock().instant();
      Batch accepted = batches.create(file.request());
      PrintStream err = terminal.complain();
      Progress progress =
          new Progress(err, terminal.errIsTerminal(), terminal.errStyle(), terminal.width(), began);
      Tally tally;
      try (OnExit.Step _ = around.onExit().push(() -> cancel(batches, accepted.id()))) {
        tally =
            new BatchRun(batches, progress, around.clock(), around.pause(), watch, results)
                .follow(accepted);
      }
      Duration took = Duration.between(began, around.clock().instant());
      PrintStream print = terminal.print();
      new Summary(tally, terminal.outStyle())
          .lines(name(accepted), file.size(), took)
          .forEach(print::println);
      boolean complete = tally.size() == file.size();
      if (!complete) {
        err.println(
            "dsec: %d tasks have no result: the batch was cancelled or its server stopped"
                .formatted(file.size() - tally.size()));
      }
      boolean good = strict ? tally.allSucceeded() : tally.faults().isEmpty();
      return complete && good ? Exit.FINE : Exit.FAILED;
    }

    /** Returns when nothing of the batch runs any more, or after a while. */
    private void cancel(Batches batches, String id) {
      around.terminal().complain().println("\ndsec: cancelling " + id + " …");
      batches.cancel(id, GRACE);
      for (int i = 0; i < CANCEL_TRIES && !Batch.over(batches.get(id)); i++) {
        try {
          around.pause().of(CANCEL_WAIT);
        } catch (InterruptedException _) {
          Thread.currentThread().interrupt();
          return;
        }
      }
    }

    private static String name(Batch batch) {
      return batch.name() == null || batch.name().isEmpty()
          ? batch.id()
          : batch.name() + " (" + batch.id() + ")";
    }
  }

  @Command(
      name = "from-humaneval",
      description = "Make a batch file of a HumanEval file (JSON lines, plain or gzip).",
      footer = {
        "",
        "Solutions are JSON lines with task_id and completion (goes on behind the prompt) or",
        "solution (the whole program); without them the reference solutions run.",
        "The batch needs python3 in its image."
      })
  public static final class FromHumanEval implements Callable<Integer> {
    private final Surroundings around;

    @Parameters(paramLabel = "FILE", description = "Such as HumanEval.jsonl.gz.")
    private Path problems = Path.of("");

    @Option(
        names = "--out",
        paramLabel = "FILE",
        required = true,
        description = "The batch file to write, such as batch.json.")
    private Path out = Path.of("");

    @Option(names = "--solutions", paramLabel = "FILE", description = "Solutions to be judged.")
    private Optional<Path> solutions = Optional.empty();

    public FromHumanEval(Surroundings around) {
      this.around = around;
    }

    @Override
    public Integer call() throws IOException {
      var batch = HumanEval.batch(problems, solutions);
      Files.writeString(
          out,
          Json.mapper().writer().with(SerializationFeature.INDENT_OUTPUT).writeValueAsString(batch)
              + "\n");
      around
          .terminal()
          .print()
          .println("%d tasks in %s".formatted(batch.path("tasks").size(), out));
      return Exit.FINE;
    }
  }
}
