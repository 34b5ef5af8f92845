// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.model.DsecException;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** A command of a later release: known by name, so that it says so. */
@Command(hidden = true)
final class NotYet implements Callable<Integer> {
  private final String name;
  private final String instead;

  private NotYet(String name, String instead) {
    this.name = name;
    this.instead = instead;
  }

  /** Takes any arguments, so that it is the command that is reported, not they. */
  static CommandLine of(String name, String instead) {
    return new CommandLine(new NotYet(name, instead)).setUnmatchedArgumentsAllowed(true);
  }

  @Override
  public Integer call() {
    DsecException e =
        DsecException.notSupported(name, "dsec %s is not in this release yet".formatted(name));
    throw instead.isEmpty() ? e : e.withHint(instead);
  }
}
