// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.client.DsecClient;
import io.dsec.client.Sandbox;
import io.dsec.model.SandboxId;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code dsec sandbox fork} */
@Command(name = "fork", description = "Make sandboxes that begin with the files of this one.")
final class ForkCommand extends ServerCommand {
  @Mixin private final Output output = new Output();

  @Parameters(paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  @Option(
      names = {"-n", "--count"},
      paramLabel = "N",
      description = "How many, at most 100. Default 1.")
  private int count = 1;

  @Option(
      names = {"-l", "--label"},
      paramLabel = "KEY=VALUE",
      description = "Beside the parent's labels; may be repeated.")
  private Map<String, String> labels = new LinkedHashMap<>();

  @Option(
      names = "--ttl",
      paramLabel = "TIME",
      converter = Quantities.Length.class,
      description = "How long they live, such as 30m. Default as the parent.")
  private Optional<Duration> ttl = Optional.empty();

  ForkCommand(Surroundings around) {
    super(around);
  }

  @Override
  int run(DsecClient client) {
    List<Sandbox> made = client.sandboxes().fork(new SandboxId(id), count, labels, ttl);
    if (output.json()) {
      var replies = made.stream().map(s -> client.sandboxes().describe(s.id())).toList();
      Output.print(around.terminal(), Map.of("sandboxes", replies));
    } else {
      made.forEach(each -> out().println(each.id()));
    }
    return Exit.FINE;
  }
}
