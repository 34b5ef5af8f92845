// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.cgroup;

/** Parsers of what cgroup files hold. */
final class KernelText {
  private KernelText() {}

  // 536870912          or: max
  static long number(String text, long otherwise) {
    return text.isEmpty() || text.equals("max") ? otherwise : Long.parseLong(text);
  }

  // usage_usec 8112
  // user_usec 5340
  // system_usec 2772
  static long field(String text, String key) {
    return text.lines()
        .filter(line -> line.startsWith(key) && line.startsWith(" ", key.length()))
        .map(line -> line.substring(key.length() + 1).strip())
        .map(Long::parseLong)
        .findFirst()
        .orElse(0L);
  }

  // MemTotal:       24683948 kB
  static long memTotal(String meminfo) {
    return meminfo
        .lines()
        .filter(line -> line.startsWith("MemTotal:"))
        .map(line -> line.substring(9, line.length() - 2).strip())
        .mapToLong(kib -> Long.parseLong(kib) << 10)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("/proc/meminfo has no MemTotal"));
  }
}
