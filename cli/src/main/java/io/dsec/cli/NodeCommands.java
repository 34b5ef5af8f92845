// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.term.Table;
import io.dsec.client.DsecClient;
import io.dsec.model.DsecException;
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
  static final class Ls extends SandboxCommands.Base {
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
            first(node, "node", "id", "name"),
            first(node, "state"),
            first(node, "live", "sandboxes"),
            StreamSupport.stream(node.path("tiers").spliterator(), false)
                .map(JsonNode::asString)
                .collect(Collectors.joining(",")),
            first(node, "disk_backend"),
            node.path("free").isMissingNode() ? "-" : node.path("free").toString());
      }
      table.lines().forEach(out()::println);
      return Exit.FINE;
    }

    private static String first(JsonNode node, String... names) {
      for (String name : names) {
        if (node.hasNonNull(name)) {
          return node.path(name).asString();
        }
      }
      return "-";
    }
  }
}
