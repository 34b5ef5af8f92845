// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.client.DsecClient;
import io.dsec.client.Sandbox;
import io.dsec.model.ExecSpec;
import io.dsec.model.SandboxId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "run",
    description = {
      "Run one command in a sandbox of its own, removed at the end.",
      "Without a server, one is started in this process for the length of the command."
    },
    footer = {
      "",
      "The image \"host\" shows this machine's programs and needs no registry.",
      "Exit code: the program's own, 128+N for signal N, 124 for a timeout, 137 for out of memory,",
      "125 for a failure of DSec, 126 not executable, 127 not found."
    })
final class RunCommand implements Callable<Integer>, RunsProgram {
  private final Surroundings around;
  @Mixin private final Connection connection;
  @Mixin private final SandboxOptions options = new SandboxOptions();
  @Mixin private final ProgramOptions program = new ProgramOptions();

  @Parameters(
      index = "0",
      paramLabel = "IMAGE",
      description = "Such as host or registry.test/py:3.12.")
  private String image = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "CMD",
      description = "Program and arguments, best behind --.")
  private List<String> argv = List.of();

  @Option(
      names = "--keep",
      description = "Leave the sandbox running and print its id to standard error.")
  private boolean keep;

  RunCommand(Surroundings around) {
    this.around = around;
    this.connection = new Connection(around.terminal().environment());
  }

  @Override
  public Integer call() {
    ExecSpec spec = program.spec(argv, new PlaceOptions(), around.terminal());
    var request = options.request(image, around.terminal().environment());
    try (ServerAccess access = ServerAccess.open(connection, around)) {
      DsecClient client = access.client();
      Sandbox made = client.sandboxes().create(request.await(false));
      SandboxId id = made.id();
      try (OnExit.Step _ = around.onExit().push(() -> remove(client, id))) {
        new RunningSandbox(client, around.pause()).await(id);
        return program.run(client, around, id, spec);
      } finally {
        finish(client, id);
      }
    }
  }

  private void finish(DsecClient client, SandboxId id) {
    if (keep) {
      around.terminal().complain().println("dsec: kept " + id);
    } else if (!around.onExit().interrupted()) {
      remove(client, id);
    }
  }

  private static void remove(DsecClient client, SandboxId id) {
    client.sandboxes().delete(id, Duration.ZERO);
  }
}
