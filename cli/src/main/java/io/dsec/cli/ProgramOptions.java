// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.term.Terminal;
import io.dsec.client.DsecClient;
import io.dsec.model.Bytes;
import io.dsec.model.DsecException;
import io.dsec.model.ExecSpec;
import io.dsec.model.SandboxId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** How {@code run} and {@code exec} run a program. */
final class ProgramOptions {
  private static final int MAX_STDIN = 32 << 20;

  @Option(
      names = "-i",
      description =
          "Send standard input to the program: read to its end, or with -t as it is typed.")
  private boolean stdin;

  @Option(names = "-t", description = "Run it on a terminal; with -i joined to this one.")
  private boolean terminal;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      converter = Quantities.Length.class,
      description = "Kill the program and all it started after this time, such as 30s.")
  private Optional<Duration> timeout = Optional.empty();

  /** Runs it, on a terminal where that was asked for. */
  int run(DsecClient client, Surroundings around, SandboxId sandbox, ExecSpec spec) {
    return terminal
        ? new TerminalRun(client, around).run(sandbox, spec, stdin)
        : new ProgramRun(client, around).run(sandbox, spec);
  }

  ExecSpec spec(List<String> argv, PlaceOptions place, Terminal from) {
    return ExecSpec.program(argv)
        .cwd(place.workdir)
        .env(place.env)
        .user(place.user)
        .stdin(stdin && !terminal ? Optional.of(read(from)) : Optional.empty())
        .timeout(timeout)
        .done();
  }

  private static Bytes read(Terminal from) {
    try {
      byte[] all = from.in().readNBytes(MAX_STDIN + 1);
      if (all.length > MAX_STDIN) {
        throw DsecException.invalid(
            "stdin", "standard input is longer than %d bytes".formatted(MAX_STDIN));
      }
      return Bytes.wrap(all);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read standard input", e);
    }
  }
}
