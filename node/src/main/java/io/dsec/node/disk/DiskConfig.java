// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.disk;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Where and how writable layers are kept.
 *
 * @param directory of this node alone; the node's database, journal and spool lie elsewhere
 * @param backends to try, best first
 * @param poolBytes size of the btrfs pool; 0 for 60 % of what is free when it is made. It is a
 *     sparse file, so it takes what its layers hold
 * @param stock how many layers of each common size are kept ready where making one is slow
 */
public record DiskConfig(Path directory, List<String> backends, long poolBytes, int stock) {
  public static final List<String> BEST_FIRST =
      List.of("project-quota", "btrfs", "ext4-image", "tmpfs");

  /** mkfs.btrfs refuses less than 109 MiB; below this, too little is left for data. */
  static final long MIN_POOL = 256L << 20;

  public DiskConfig {
    backends = List.copyOf(backends);
    List<String> problems = new ArrayList<>();
    if (!directory.isAbsolute()) {
      problems.add("disk.directory is \"%s\"; it must be absolute".formatted(directory));
    }
    List<String> unknown = backends.stream().filter(b -> !BEST_FIRST.contains(b)).toList();
    if (!unknown.isEmpty() || backends.isEmpty()) {
      problems.add("disk.backends is %s; choose among %s".formatted(backends, BEST_FIRST));
    }
    if (poolBytes != 0 && poolBytes < MIN_POOL) {
      problems.add(
          "disk.pool is %d bytes; it must be 0 (60 %% of the free space) or at least %d"
              .formatted(poolBytes, MIN_POOL));
    }
    if (stock < 0 || stock > 1024) {
      problems.add("disk.stock is %d; it must be from 0 to 1024".formatted(stock));
    }
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", problems));
    }
  }

  public static DiskConfig of(Path directory) {
    return new DiskConfig(directory, BEST_FIRST, 0, 8);
  }

  public DiskConfig withBackends(String... names) {
    return new DiskConfig(directory, List.of(names), poolBytes, stock);
  }

  public DiskConfig withPoolBytes(long bytes) {
    return new DiskConfig(directory, backends, bytes, stock);
  }
}
