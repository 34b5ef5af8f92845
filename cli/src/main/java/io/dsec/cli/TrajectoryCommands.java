// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.term.Style;
import io.dsec.client.DsecClient;
import io.dsec.client.LineStream;
import io.dsec.client.trajectory.TrajectoryFormat;
import io.dsec.client.trajectory.TrajectoryVerifier;
import io.dsec.client.trajectory.Verification;
import io.dsec.link.Json;
import io.dsec.model.SandboxId;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code dsec trajectory …} */
final class TrajectoryCommands {
  private TrajectoryCommands() {}

  @Command(name = "trajectory", description = "Show, export and verify what was recorded.")
  static final class Root extends Group {}

  @Command(name = "show", description = "Show the events of a sandbox on a time line.")
  static final class Show extends ServerCommand {
    @Mixin private final Output output = new Output();

    @Parameters(paramLabel = "ID", description = "The sandbox.")
    private String id = "";

    @Option(
        names = {"-f", "--follow"},
        description = "Wait for events to come until the sandbox is gone.")
    private boolean follow;

    @Option(names = "--from", paramLabel = "SEQ", description = "Begin with this event.")
    private long from;

    Show(Surroundings around) {
      super(around);
    }

    @Override
    int run(DsecClient client) {
      Style style = around.terminal().outStyle();
      PrintStream out = out();
      try (LineStream lines = client.sandboxes().trajectory(new SandboxId(id), from, follow)) {
        for (String line = lines.next(); line != null; line = lines.next()) {
          out.println(output.json() ? line : EventText.of(Json.mapper().readTree(line), style));
        }
      }
      return Exit.FINE;
    }
  }

  @Command(
      name = "export",
      description = "Write the trajectory of a sandbox in a format that other programs read.")
  static final class Export extends ServerCommand {
    @Parameters(paramLabel = "ID", description = "The sandbox.")
    private String id = "";

    @Option(
        names = "--format",
        paramLabel = "FORMAT",
        description = "${COMPLETION-CANDIDATES}; default ${DEFAULT-VALUE}.")
    private TrajectoryFormat format = TrajectoryFormat.JSONL;

    @Option(names = "--out", paramLabel = "FILE", description = "Default: standard output.")
    private Optional<Path> out = Optional.empty();

    Export(Surroundings around) {
      super(around);
    }

    @Override
    int run(DsecClient client) {
      try (LineStream lines = client.sandboxes().trajectory(new SandboxId(id), 0, false);
          Writer target =
              out.isPresent()
                  ? Files.newBufferedWriter(out.get())
                  : new BufferedWriter(
                      new OutputStreamWriter(around.terminal().out(), StandardCharsets.UTF_8))) {
        format.exporter().export(lines.rest(), target);
        return Exit.FINE;
      } catch (IOException e) {
        throw new UncheckedIOException("cannot write the export: " + e.getMessage(), e);
      }
    }
  }

  @Command(
      name = "verify",
      description = "Check that a trajectory is complete and in order.",
      footer = {"", "Exit code: 0 when it is sound, else 1."})
  static final class Verify extends ServerCommand {
    @Mixin private final Output output = new Output();

    @Parameters(paramLabel = "ID", description = "The sandbox.")
    private String id = "";

    Verify(Surroundings around) {
      super(around);
    }

    @Override
    int run(DsecClient client) {
      Verification found;
      try (LineStream lines = client.sandboxes().trajectory(new SandboxId(id), 0, false)) {
        found = new TrajectoryVerifier().verify(lines.rest());
      }
      if (output.json()) {
        Output.print(around.terminal(), found);
      } else {
        Style style = around.terminal().outStyle();
        out()
            .println(
                (found.isSound() ? style.green("sound") : style.red("not sound"))
                    + ": %d events, %d gaps, %d faults"
                        .formatted(found.events(), found.gaps(), found.faults()));
        found.problems().forEach(out()::println);
      }
      return found.isSound() ? Exit.FINE : Exit.FAILED;
    }
  }
}
