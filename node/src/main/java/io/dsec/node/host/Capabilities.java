// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What this process may do. */
public final class Capabilities {
  /** Needed to launch sandboxes, by bit number. */
  private static final Map<Integer, String> NEEDED =
      new TreeMap<>(
          Map.of(
              0, "CAP_CHOWN",
              1, "CAP_DAC_OVERRIDE",
              3, "CAP_FOWNER",
              5, "CAP_KILL",
              6, "CAP_SETGID",
              7, "CAP_SETUID",
              12, "CAP_NET_ADMIN",
              21, "CAP_SYS_ADMIN",
              27, "CAP_MKNOD"));

  private Capabilities() {}

  /** Names of needed capabilities that this process lacks. */
  public static List<String> missing() {
    try {
      return missing(KernelFile.read(Path.of("/proc/self/status")));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  // CapEff:	000001fffeffffff
  static List<String> missing(String status) {
    long mask =
        status
            .lines()
            .filter(line -> line.startsWith("CapEff:"))
            .map(line -> Long.parseUnsignedLong(line.substring(7).strip(), 16))
            .findFirst()
            .orElse(0L);
    List<String> missing = new ArrayList<>();
    NEEDED.forEach(
        (bit, name) -> {
          if ((mask >> bit & 1) == 0) {
            missing.add(name);
          }
        });
    return missing;
  }
}
