// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.term.Figures;
import io.dsec.cli.term.Table;
import io.dsec.client.Batch;
import io.dsec.client.DsecClient;
import io.dsec.client.LineStream;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

/** What {@code dsec batch} says of batches that were given to a server earlier. */
final class BatchLookups {
  private BatchLookups() {}

  @Command(name = "ls", description = "List batches, the newest first.")
  static final class Ls extends ServerCommand {
    @Mixin private final Output output = new Output();

    Ls(Surroundings around) {
      super(around);
    }

    @Override
    int run(DsecClient client) {
      List<JsonNode> batches = client.batches().list();
      if (output.json()) {
        Output.print(around.terminal(), Map.of("batches", batches));
        return Exit.FINE;
      }
      Table table =
          new Table(
              around.terminal().outStyle(), "ID", "NAME", "STATE", ">TASKS", ">ENDED", ">AGE");
      Instant now = around.clock().instant();
      for (JsonNode batch : batches) {
        int ended = 0;
        for (JsonNode count : batch.path("endings")) {
          ended += count.asInt(0);
        }
        table.row(
            batch.path("id").asString("-"),
            Table.printable(batch.path("name").asString("-")),
            batch.path("state").asString("-"),
            batch.path("total").asString("-"),
            Integer.toString(ended),
            Figures.age(Instant.parse(batch.path("created_at").asString("")), now));
      }
      table.lines().forEach(out()::println);
      return Exit.FINE;
    }
  }

  @Command(name = "show", description = "Show one batch: its state and how its tasks ended.")
  static final class Show extends ServerCommand {
    @Mixin private final Output output = new Output();

    @Parameters(paramLabel = "ID", description = "The batch.")
    private String id = "";

    Show(Surroundings around) {
      super(around);
    }

    @Override
    int run(DsecClient client) {
      JsonNode batch = client.batches().describe(id);
      if (output.json()) {
        Output.print(around.terminal(), batch);
      } else {
        Describe.lines(batch, around.terminal().outStyle()).forEach(out()::println);
      }
      return Exit.FINE;
    }
  }

  @Command(name = "results", description = "Print results as JSON lines, in the order of endings.")
  static final class Results extends ServerCommand {
    @Parameters(paramLabel = "ID", description = "The batch.")
    private String id = "";

    @Option(names = "--follow", description = "Wait for those to come.")
    private boolean follow;

    Results(Surroundings around) {
      super(around);
    }

    @Override
    int run(DsecClient client) {
      try (LineStream lines = client.batches().resultLines(id, 0, follow)) {
        for (String line = lines.next(); line != null; line = lines.next()) {
          out().println(line);
        }
      }
      return Exit.FINE;
    }
  }

  @Command(name = "cancel", description = "Start nothing more of a batch, and end what runs.")
  static final class Cancel extends ServerCommand {
    @Parameters(paramLabel = "ID", description = "The batch.")
    private String id = "";

    @Option(
        names = "--grace",
        paramLabel = "TIME",
        converter = Quantities.Length.class,
        description = "Between TERM and KILL. Default 30s.")
    private Duration grace = Duration.ofSeconds(30);

    Cancel(Surroundings around) {
      super(around);
    }

    @Override
    int run(DsecClient client) {
      client.batches().cancel(id, grace);
      Batch after = client.batches().get(id);
      out()
          .println(
              after.state()
                  + ": "
                  + after.states().entrySet().stream()
                      .map(e -> e.getValue() + " " + e.getKey())
                      .sorted()
                      .collect(Collectors.joining(", ")));
      return Exit.FINE;
    }
  }
}
