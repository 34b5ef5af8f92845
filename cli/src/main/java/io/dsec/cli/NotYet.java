// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.model.DsecException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Unmatched;

/** A command of a later release: known by name, so that it says so. */
@Command(hidden = true)
final class NotYet implements Callable<Integer> {
  private final String name;
  private final String instead;

  @Parameters(hidden = true)
  private List<String> rest = List.of();

  @Unmatched private List<String> unmatched = List.of();

  NotYet(String name, String instead) {
    this.name = name;
    this.instead = instead;
  }

  @Override
  public Integer call() {
    DsecException e =
        DsecException.notSupported(name, "dsec %s is not in this release yet".formatted(name));
    throw instead.isEmpty() ? e : e.withHint(instead);
  }
}
