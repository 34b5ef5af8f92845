// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that only has subcommands. */
public abstract class Group implements Runnable {
  @Spec private @org.jspecify.annotations.Nullable CommandSpec spec;

  @Override
  public void run() {
    if (spec != null) {
      throw new ParameterException(
          spec.commandLine(), "name one of: " + String.join(", ", spec.subcommands().keySet()));
    }
  }
}
