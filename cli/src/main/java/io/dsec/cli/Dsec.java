// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The root of all commands. */
@Command(
    name = "dsec",
    description = "Sandboxes for training agents.",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    addMethodSubcommands = false,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND",
    footer = {"", "Begin with: dsec doctor; dsec run host -- echo hello"})
final class Dsec implements Runnable {
  @Spec private @org.jspecify.annotations.Nullable CommandSpec spec;

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Show where in the program a failure arose.")
  private boolean debug;

  boolean debug() {
    return debug;
  }

  @Override
  public void run() {
    if (spec != null) {
      throw new ParameterException(spec.commandLine(), "name a command");
    }
  }
}
