// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.host;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * One line of {@code /proc/self/mountinfo}.
 *
 * @param options of this mount, such as {@code rw}, {@code nosuid}
 * @param superOptions of the file system
 */
public record MountPoint(
    Path target, List<String> options, String type, String source, List<String> superOptions) {
  private static final Map<String, Long> FLAGS =
      Map.of(
          "ro", Mounts.RDONLY,
          "nosuid", Mounts.NOSUID,
          "nodev", Mounts.NODEV,
          "noexec", Mounts.NOEXEC,
          "noatime", Mounts.NOATIME,
          "relatime", 1L << 21);

  public MountPoint {
    options = List.copyOf(options);
    superOptions = List.copyOf(superOptions);
  }

  /** The options that mount(2) takes as flags, for a remount that shall keep them. */
  public long flags() {
    return FLAGS.entrySet().stream()
        .filter(flag -> options.contains(flag.getKey()))
        .mapToLong(Map.Entry::getValue)
        .reduce(0, (a, b) -> a | b);
  }

  // 41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:5 - cgroup2 cgroup2 rw,favordynmods
  static MountPoint parse(String line) {
    int dash = line.indexOf(" - ");
    List<String> left = List.of(line.substring(0, dash).split(" ", -1));
    List<String> right = List.of(line.substring(dash + 3).split(" ", 3));
    return new MountPoint(
        Path.of(unescape(left.get(4))),
        List.of(left.get(5).split(",", -1)),
        right.get(0),
        unescape(right.get(1)),
        List.of(right.get(2).split(",", -1)));
  }

  /** Space, tab, newline and backslash come as a backslash and three octal digits. */
  private static String unescape(String text) {
    if (text.indexOf('\\') < 0) {
      return text;
    }
    StringBuilder out = new StringBuilder();
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) == '\\' && i + 3 < text.length()) {
        out.append((char) Integer.parseInt(text.substring(i + 1, i + 4), 8));
        i += 3;
      } else {
        out.append(text.charAt(i));
      }
    }
    return out.toString();
  }
}
