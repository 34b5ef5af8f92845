// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.term.Style;
import io.dsec.cli.term.Table;
import io.dsec.node.probe.Finding;
import io.dsec.node.probe.HostProbe;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "doctor",
    description = "Show what this machine can do, with the reason where it cannot.",
    footer = {"", "Exit code: 1 when something is missing without which no sandbox can run."})
final class DoctorCommand implements Callable<Integer> {
  private static final String GOOD = "✓";
  private static final String BAD = "✗";
  private static final String ABSENT = "-";

  private final Surroundings around;
  @Mixin private final Output output = new Output();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "The data directory that is to be used. Default: that of `dsec up`.")
  private Optional<Path> data = Optional.empty();

  DoctorCommand(Surroundings around) {
    this.around = around;
  }

  @Override
  public Integer call() {
    Path directory = data.orElseGet(() -> DataDirectory.standard(around.terminal().environment()));
    List<Finding> findings = new HostProbe(directory.resolve("node")).findings();
    boolean able = findings.stream().allMatch(Finding::acceptable);
    if (output.json()) {
      Output.print(around.terminal(), Map.of("able", able, "findings", findings));
    } else {
      try (PrintStream out = around.terminal().print()) {
        lines(findings).forEach(out::println);
        out.println();
        out.println(
            able
                ? "This machine can run sandboxes."
                : "This machine cannot run sandboxes until what is marked " + BAD + " is there.");
      }
    }
    return able ? Exit.FINE : Exit.FAILED;
  }

  /** {@code ✗} is what stands in the way; {@code -} is what is merely not there. */
  private List<String> lines(List<Finding> findings) {
    Style style = around.terminal().outStyle();
    Table table = new Table(style, "", "CHECK", "FOUND");
    for (Finding f : findings) {
      String found = f.ok() || f.hint().isEmpty() ? f.detail() : f.detail() + " (" + f.hint() + ")";
      if (f.ok()) {
        table.row(style::green, GOOD, f.name(), found);
      } else if (f.required()) {
        table.row(style::red, BAD, f.name(), found);
      } else {
        table.row(style::faint, ABSENT, f.name(), found);
      }
    }
    return table.lines();
  }
}
