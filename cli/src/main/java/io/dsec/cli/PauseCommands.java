// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.client.DsecClient;
import io.dsec.client.Sandbox;
import io.dsec.link.Json;
import io.dsec.model.SandboxId;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code dsec sandbox pause|resume} */
final class PauseCommands {
  private PauseCommands() {}

  abstract static class Turn extends ServerCommand {
    @Mixin private final Output output = new Output();

    @Parameters(paramLabel = "ID", arity = "1..*", description = "The sandboxes.")
    private List<String> ids = List.of();

    Turn(Surroundings around) {
      super(around);
    }

    abstract Sandbox turn(DsecClient client, SandboxId id);

    @Override
    int run(DsecClient client) {
      List<SandboxId> targets = ids.stream().map(SandboxId::new).toList();
      List<Sandbox> now = targets.stream().map(id -> turn(client, id)).toList();
      if (output.json()) {
        var replies = targets.stream().map(id -> client.sandboxes().describe(id)).toList();
        Output.print(around.terminal(), Map.of("sandboxes", replies));
      } else {
        now.forEach(each -> out().println(each.id() + " " + Json.lower(each.state())));
      }
      return Exit.FINE;
    }
  }

  @Command(name = "pause", description = "Freeze all processes; a call that needs them resumes.")
  static final class Pause extends Turn {
    Pause(Surroundings around) {
      super(around);
    }

    @Override
    Sandbox turn(DsecClient client, SandboxId id) {
      return client.sandboxes().pause(id);
    }
  }

  @Command(name = "resume", description = "Let the processes of paused sandboxes run again.")
  static final class Resume extends Turn {
    Resume(Surroundings around) {
      super(around);
    }

    @Override
    Sandbox turn(DsecClient client, SandboxId id) {
      return client.sandboxes().resume(id);
    }
  }
}
