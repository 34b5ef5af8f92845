// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.client.Credentials;
import io.dsec.model.DsecException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "up",
    description = "Run server and node in this process until it is stopped.",
    footer = {
      "",
      "The admin key is in DATA/admin-key, and in ~/.config/dsec/credentials when that is absent or its own."
    })
final class UpCommand implements Callable<Integer> {
  private static final Pattern LISTEN =
      Pattern.compile("(?:(\\[[0-9a-fA-F:.]+\\]|[^:]*):)?(\\d{1,5})");
  private final Surroundings around;

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description =
          "Everything is kept here. Default: /var/lib/dsec, without root ~/.local/share/dsec.")
  private Optional<Path> data = Optional.empty();

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      description = "Where to listen. Default: ${DEFAULT-VALUE}. Port 0 takes a free one.")
  private String listen = "127.0.0.1:7070";

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "Settings over the defaults, as YAML; see docs/operations.md.")
  private Optional<Path> config = Optional.empty();

  @Option(names = "--log-format", paramLabel = "FORM", description = "text (default) or json.")
  private LogSetup.Format format = LogSetup.Format.TEXT;

  UpCommand(Surroundings around) {
    this.around = around;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    Matcher address = LISTEN.matcher(listen);
    if (!address.matches() || Integer.parseInt(address.group(2)) > 65_535) {
      throw DsecException.invalid(
          "listen", "--listen is \"%s\"; write HOST:PORT or PORT".formatted(listen));
    }
    String host =
        address.group(1) == null || address.group(1).isEmpty() ? "127.0.0.1" : address.group(1);
    LogSetup.verbose(format);
    Path directory =
        data.orElseGet(() -> DataDirectory.standard(around.terminal().environment()))
            .toAbsolutePath();
    UpSettings settings = config.map(UpSettings::read).orElse(UpSettings.DEFAULT);
    CountDownLatch stopped = new CountDownLatch(1);
    Embedded embedded;
    OnExit.Step step;
    try (OnExit.Hold _ = around.onExit().hold()) {
      embedded = Embedded.start(directory, host, Integer.parseInt(address.group(2)), settings);
      step =
          around
              .onExit()
              .push(
                  () -> {
                    embedded.close();
                    stopped.countDown();
                  });
    }
    try (step) {
      String where =
          new CredentialsShare(
                  Credentials.defaultFile(around.terminal().environment()),
                  directory,
                  CredentialsShare::answers)
              .offer(new Credentials(embedded.url(), embedded.key()));
      around.terminal().print().println("dsec: listening on " + embedded.url() + ", " + where);
      stopped.await();
    }
    return Exit.FINE;
  }
}
