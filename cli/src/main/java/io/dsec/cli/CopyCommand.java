// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.copy.CopyProgress;
import io.dsec.cli.copy.Download;
import io.dsec.cli.copy.RemotePath;
import io.dsec.cli.copy.Upload;
import io.dsec.client.DsecClient;
import io.dsec.client.Files;
import io.dsec.model.DsecException;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "cp",
    description = "Copy a file or directory into a sandbox or out of it.",
    footer = {
      "",
      "One of both is ID:PATH with an absolute path, the other a local path, or - for the standard",
      "streams. As with cp -r, a directory goes below a destination that is a directory, and becomes",
      "the destination when there is none; SRC/. copies what is in it. Modes and times are kept."
    })
final class CopyCommand implements Callable<Integer> {
  private final Surroundings around;
  @Mixin private final Connection connection;

  @Parameters(index = "0", paramLabel = "SRC", description = "PATH or ID:PATH.")
  private String source = "";

  @Parameters(index = "1", paramLabel = "DST", description = "ID:PATH or PATH.")
  private String destination = "";

  @Option(
      names = {"-u", "--user"},
      paramLabel = "USER",
      description = "Who reads and owns the files inside. Default: the sandbox's user.")
  private Optional<String> user = Optional.empty();

  @Option(
      names = {"-q", "--quiet"},
      description = "Show no progress.")
  private boolean quiet;

  CopyCommand(Surroundings around) {
    this.around = around;
    this.connection = new Connection(around.terminal().environment());
  }

  @Override
  public Integer call() throws IOException {
    Optional<RemotePath> from = RemotePath.of(source);
    Optional<RemotePath> to = RemotePath.of(destination);
    if (from.isPresent() == to.isPresent()) {
      throw DsecException.invalid("SRC", "one of SRC and DST is ID:PATH, the other a local path")
          .withHint("dsec cp file.txt ID:/workspace/; dsec cp ID:/workspace/out ./out");
    }
    var terminal = around.terminal();
    boolean shown = terminal.errIsTerminal() && !quiet;
    try (DsecClient client = connection.open();
        CopyProgress progress = new CopyProgress(terminal.complain(), shown)) {
      if (to.isPresent()) {
        Files files = files(client, to.get());
        new Upload(files, progress, terminal.in()).copy(source, to.get().path());
      } else if (from.isPresent()) {
        Files files = files(client, from.get());
        new Download(files, progress, terminal.out()).copy(from.get().path(), destination);
      }
    }
    return Exit.FINE;
  }

  private Files files(DsecClient client, RemotePath path) {
    return user.map(name -> client.sandboxes().files(path.sandbox(), name))
        .orElseGet(() -> client.sandboxes().files(path.sandbox()));
  }
}
