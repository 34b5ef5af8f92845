// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A sandbox's PID 1, as the host sees it.
 *
 * @param startTicks field 22 of its stat, so that a later process with the same pid is told apart
 */
public record InitProcess(long pid, long startTicks) {
  private static final int STATE = 0; // fields after "(name) "
  private static final int START_TICKS = 19;

  public boolean alive() {
    try {
      return matches(
          new String(
              Files.readAllBytes(Path.of("/proc/" + pid + "/stat")), StandardCharsets.UTF_8));
    } catch (IOException _) {
      return false;
    }
  }

  /** {@code 4711 (dsec-guest) S 1 4711 … 0 0 1 0 812345 …}; a zombie counts as dead. */
  boolean matches(String stat) {
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", START_TICKS + 2);
    return fields.length > START_TICKS
        && !fields[STATE].equals("Z")
        && !fields[STATE].equals("X")
        && fields[START_TICKS].equals(Long.toString(startTicks));
  }
}
