// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.term.Terminal;
import io.dsec.client.Pause;
import java.time.InstantSource;

/** What every command gets from the process. */
public record Surroundings(Terminal terminal, OnExit onExit, InstantSource clock, Pause pause) {
  static Surroundings ofProcess() {
    return new Surroundings(
        Terminal.ofProcess(), OnExit.ofProcess(), InstantSource.system(), Pause.SLEEPING);
  }
}
