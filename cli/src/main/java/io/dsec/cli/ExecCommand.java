// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.client.DsecClient;
import io.dsec.model.SandboxId;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "exec",
    description = "Run a command in a sandbox; output and exit code are the command's.",
    footer = {
      "",
      "Exit code: the program's own, 128+N for signal N, 124 for a timeout, 137 for out of memory,",
      "125 for a failure of DSec, 126 not executable, 127 not found."
    })
final class ExecCommand implements Callable<Integer>, RunsProgram {
  private final Surroundings around;
  @Mixin private final Connection connection;
  @Mixin private final ProgramOptions program = new ProgramOptions();
  @Mixin private final PlaceOptions place = new PlaceOptions();

  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "CMD",
      description = "Program and arguments, best behind --.")
  private List<String> argv = List.of();

  @Option(
      names = {"-d", "--detach"},
      description = "Start it in the background and print the process's id.")
  private boolean detach;

  ExecCommand(Surroundings around) {
    this.around = around;
    this.connection = new Connection(around.terminal().environment());
  }

  @Override
  public Integer call() {
    SandboxId sandbox = new SandboxId(id);
    var spec = program.spec(argv, place, around.terminal());
    try (DsecClient client = connection.open()) {
      if (detach) {
        around.terminal().print().println(client.sandboxes().processes(sandbox).start(spec).id());
        return Exit.FINE;
      }
      return program.run(client, around, sandbox, spec);
    }
  }
}
