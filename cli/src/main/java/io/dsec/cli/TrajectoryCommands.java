// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.term.Style;
import io.dsec.client.DsecClient;
import io.dsec.client.LineStream;
import io.dsec.link.Json;
import io.dsec.model.SandboxId;
import java.io.PrintStream;
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
  static final class Show extends SandboxCommands.Base {
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
      try (LineStream lines =
          client.sandboxes().trajectory(new SandboxId(id), from, follow, Optional.empty())) {
        for (String line = lines.next(); line != null; line = lines.next()) {
          out.println(output.json() ? line : EventText.of(Json.mapper().readTree(line), style));
        }
      }
      return Exit.FINE;
    }
  }
}
