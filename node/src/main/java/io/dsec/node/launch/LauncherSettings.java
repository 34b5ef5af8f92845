// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.launch;

import java.nio.file.Path;
import java.time.Duration;

/**
 * @param program the guest binary
 * @param socket where the launcher listens
 * @param connections requests at a time; the launcher works on one and reads the next meanwhile
 * @param deadline of one request
 */
public record LauncherSettings(Path program, Path socket, int connections, Duration deadline) {
  public LauncherSettings(Path program, Path socket) {
    this(program, socket, 4, Duration.ofSeconds(20));
  }
}
