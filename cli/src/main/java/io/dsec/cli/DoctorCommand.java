// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "doctor",
    description = "Show what this machine can do, with the reason where it cannot.")
final class DoctorCommand implements Callable<Integer> {
  private final Surroundings around;
  @Mixin private final Output output = new Output();

  DoctorCommand(Surroundings around) {
    this.around = around;
  }

  @Override
  public Integer call() {
    around.terminal().complain().println("dsec: doctor is not wired yet" + output.json());
    return Exit.FAILED;
  }
}
