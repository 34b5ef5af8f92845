// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.term.Table;
import io.dsec.client.DsecClient;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** {@code dsec key …}, for admins. */
final class KeyCommands {
  private KeyCommands() {}

  @Command(name = "key", description = "Issue, list and revoke API keys.")
  static final class Root extends Group {}

  @Command(name = "create", description = "Issue a key and print it: it is shown this once.")
  static final class Create extends ServerCommand {
    @Mixin private final Output output = new Output();

    @Option(names = "--tenant", paramLabel = "NAME", description = "Whose. Default: default.")
    private Optional<String> tenant = Optional.empty();

    @Option(names = "--role", paramLabel = "ROLE", description = "user (default) or admin.")
    private Optional<String> role = Optional.empty();

    @Option(
        names = "--expires-in",
        paramLabel = "TIME",
        converter = Quantities.Length.class,
        description = "Such as 720h. Default: never.")
    private Optional<Duration> expiry = Optional.empty();

    Create(Surroundings around) {
      super(around);
    }

    @Override
    int run(DsecClient client) {
      JsonNode key = client.keys().issue(tenant, role, expiry);
      if (output.json()) {
        Output.print(around.terminal(), key);
      } else {
        out().println(key.path("key").asString(""));
      }
      return Exit.FINE;
    }
  }

  @Command(name = "ls", description = "List keys, without what is secret.")
  static final class Ls extends ServerCommand {
    @Mixin private final Output output = new Output();

    Ls(Surroundings around) {
      super(around);
    }

    @Override
    int run(DsecClient client) {
      List<JsonNode> keys = client.keys().list();
      if (output.json()) {
        Output.print(around.terminal(), Map.of("keys", keys));
        return Exit.FINE;
      }
      Table table =
          new Table(around.terminal().outStyle(), "ID", "TENANT", "ROLE", "CREATED", "EXPIRES");
      for (JsonNode key : keys) {
        table.row(
            key.path("id").asString("-"),
            key.path("tenant").asString("-"),
            key.path("role").asString("-"),
            key.path("created_at").asString("-"),
            key.path("expires_at").asString("never"));
      }
      table.lines().forEach(out()::println);
      return Exit.FINE;
    }
  }

  @Command(name = "rm", description = "Revoke keys: they are refused from then on.")
  static final class Rm extends ServerCommand {
    @Parameters(paramLabel = "ID", arity = "1..*", description = "As listed.")
    private List<String> ids = List.of();

    Rm(Surroundings around) {
      super(around);
    }

    @Override
    int run(DsecClient client) {
      ids.forEach(client.keys()::revoke);
      return Exit.FINE;
    }
  }
}
