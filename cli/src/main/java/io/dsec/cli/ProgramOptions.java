// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.term.Terminal;
import io.dsec.model.Bytes;
import io.dsec.model.DsecException;
import io.dsec.model.ExecSpec;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** How {@code run} and {@code exec} run a program. */
final class ProgramOptions {
  private static final int MAX_STDIN = 32 << 20;

  @Option(names = "-i", description = "Send standard input, read to its end, to the program.")
  private boolean stdin;

  @Option(names = "-t", description = "Attach a terminal (not in this release).", hidden = true)
  private boolean terminal;

  @Option(
      names = "--timeout",
      paramLabel = "TIME",
      converter = Quantities.Length.class,
      description = "Kill the program and all it started after this time, such as 30s.")
  private Optional<Duration> timeout = Optional.empty();

  ExecSpec spec(List<String> argv, PlaceOptions place, Terminal from) {
    if (terminal) {
      throw DsecException.notSupported(
          "-t", "attaching a terminal (-t) is not in this release yet");
    }
    return new ExecSpec(
        argv,
        false,
        false,
        place.workdir,
        place.env,
        place.user,
        stdin ? Optional.of(read(from)) : Optional.empty(),
        false,
        timeout,
        ExecSpec.DEFAULT_MAX_OUTPUT);
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
