// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.term.Table;
import io.dsec.client.DsecClient;
import io.dsec.model.DsecException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

/** {@code dsec node …} */
final class NodeCommands {
  private NodeCommands() {}

  @Command(name = "node", description = "List nodes.")
  static final class Root implements Runnable {
    @Spec private @org.jspecify.annotations.Nullable CommandSpec spec;

    @Option(names = "--config", paramLabel = "FILE", hidden = true)
    private Optional<String> config = Optional.empty();

    @Override
    public void run() {
      if (config.isPresent()) {
        throw DsecException.notSupported(
                "node", "a node of its own (dsec node --config) is not in this release yet")
            .withHint("`dsec up` runs server and node in one process");
      }
      if (spec != null) {
        throw new ParameterException(spec.commandLine(), "name one of: ls");
      }
    }
  }

  @Command(name = "ls", description = "List nodes with what they offer.")
  static final class Ls extends ServerCommand {
    @Mixin private final Output output = new Output();

    Ls(Surroundings around) {
      super(around);
    }

    @Override
    int run(DsecClient client) {
      var nodes = client.nodes();
      if (output.json()) {
        Output.print(around.terminal(), Map.of("nodes", nodes));
        return Exit.FINE;
      }
      Table table =
          new Table(
              around.terminal().outStyle(), "NODE", "STATE", ">LIVE", "TIERS", "DISK", "FREE");
      for (JsonNode node : nodes) {
        table.row(
            first(node, "name"),
            first(node, "state"),
            first(node, "live"),
            StreamSupport.stream(node.path("tiers").spliterator(), false)
                .map(JsonNode::asString)
                .collect(Collectors.joining(",")),
            first(node, "disk_backend"),
            free(node.path("free")));
      }
      table.lines().forEach(out()::println);
      return Exit.FINE;
    }

    private static String free(JsonNode room) {
      return String.format(
          Locale.ROOT,
          "%.1f CPU, %d MiB",
          Math.max(0, room.path("cpu").asDouble(0)),
          Math.max(0, room.path("memory").asLong(0) >> 20));
    }

    private static String first(JsonNode node, String name) {
      return node.hasNonNull(name) ? node.path(name).asString() : "-";
    }
  }
}
