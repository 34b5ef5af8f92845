// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.idrange;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Which host ids sandboxes may have.
 *
 * @param claims directory, shared by all nodes of the host and gone after a reboot
 * @param base first id; above those that /etc/subuid gives to people
 * @param end first id past the last range; the kernel knows ids below 2³¹ to be safe everywhere
 * @param blockRanges ranges that a node claims at a time
 */
public record IdRangeConfig(Path claims, int base, long end, int blockRanges) {
  public static final IdRangeConfig DEFAULT =
      new IdRangeConfig(Path.of("/run/dsec/ids"), 0x1000_0000, 1L << 31, 1024);

  public IdRangeConfig {
    List<String> problems = new ArrayList<>();
    if (base < 0x1000_0000 || base % IdRanges.SIZE != 0) {
      problems.add(
          "id_ranges.base is %d; it must be a multiple of 65536 from 268435456 on".formatted(base));
    }
    if (blockRanges < 1) {
      problems.add("id_ranges.block is %d; it must be at least 1".formatted(blockRanges));
    }
    if (end > 1L << 31 || end < base + (long) blockRanges * IdRanges.SIZE) {
      problems.add("id_ranges.end is %d; it must leave a block and be at most 2^31".formatted(end));
    }
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", problems));
    }
  }

  int blocks() {
    return (int) ((end - base) / ((long) blockRanges * IdRanges.SIZE));
  }
}
