// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code dsec completion}: what a shell needs to complete commands and options. */
@Command(
    name = "completion",
    description = "Print a script that lets bash or zsh complete commands and options.",
    footer = {
      "",
      "bash: add to ~/.bashrc    source <(dsec completion)",
      "zsh:  add to ~/.zshrc     autoload -U bashcompinit && bashcompinit; source <(dsec completion)"
    })
final class CompletionCommand implements Runnable {
  private final Surroundings around;
  @Spec private @Nullable CommandSpec spec;

  CompletionCommand(Surroundings around) {
    this.around = around;
  }

  @Override
  public void run() {
    CommandSpec root = Objects.requireNonNull(spec).root();
    around.terminal().print().print(AutoComplete.bash("dsec", root.commandLine()));
    around.terminal().print().flush();
  }
}
