// SPDX-License-Identifier: Apache-2.0
package io.dsec.node;

import io.dsec.model.Guarantee;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the host has, less what the node keeps for itself. */
final class HostCapacity {
  private HostCapacity() {}

  static Guarantee of(NodeConfig config) {
    int cores = Runtime.getRuntime().availableProcessors();
    try {
      long memory = memTotal(Files.readString(Path.of("/proc/meminfo")));
      return new Guarantee(
          Math.max(0, cores - config.reservedCpu()) * config.cpuOvercommit(),
          Math.max(0, memory - config.reservedMemory()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** {@code MemTotal: 24683912 kB} in bytes. */
  static long memTotal(String meminfo) {
    return meminfo
        .lines()
        .filter(line -> line.startsWith("MemTotal:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("/proc/meminfo has no MemTotal"));
  }

  /** Share of the file system in use, 0 to 1. */
  static double diskUse(Path directory) {
    File disk = directory.toFile(); // a FileStore would parse the mount table
    long total = disk.getTotalSpace();
    if (total == 0) {
      throw new IllegalStateException("the file system of %s tells no size".formatted(directory));
    }
    return 1 - (double) disk.getUsableSpace() / total;
  }
}
