// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.term;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/** Numbers as people read them. */
public final class Figures {
  private static final String[] SIZES = {"B", "Ki", "Mi", "Gi", "Ti", "Pi"};

  private Figures() {}

  /** {@code 350µs}, {@code 4.2ms}, {@code 1.53s}, {@code 2m05s}, {@code 3h07m}, {@code 2d4h}. */
  public static String duration(Duration length) {
    double seconds = length.toNanos() / 1e9;
    if (seconds < 0) {
      return "-" + duration(length.negated());
    }
    if (seconds < 0.001) {
      return text("%.0fµs", seconds * 1e6);
    }
    if (seconds < 1) {
      return text(seconds < 0.1 ? "%.1fms" : "%.0fms", seconds * 1e3);
    }
    if (seconds < 60) {
      return text(seconds < 10 ? "%.2fs" : "%.1fs", seconds);
    }
    long whole = length.toSeconds();
    if (whole < 3600) {
      return text("%dm%02ds", whole / 60, whole % 60);
    }
    return whole < 86_400
        ? text("%dh%02dm", whole / 3600, whole % 3600 / 60)
        : text("%dd%dh", whole / 86_400, whole % 86_400 / 3600);
  }

  /** Like {@link #duration}, in whole seconds. */
  public static String age(Instant then, Instant now) {
    Duration length = Duration.ofSeconds(Math.max(0, Duration.between(then, now).toSeconds()));
    return length.toSeconds() < 60 ? length.toSeconds() + "s" : duration(length);
  }

  /** {@code 512Mi}, {@code 1.5Gi}. */
  public static String size(long bytes) {
    double value = bytes;
    int unit = 0;
    while (value >= 1024 && unit < SIZES.length - 1) {
      value /= 1024;
      unit++;
    }
    return value == Math.rint(value)
        ? text("%.0f%s", value, SIZES[unit])
        : text("%.1f%s", value, SIZES[unit]);
  }

  /** {@code 1}, {@code 0.5}. */
  public static String cores(double cpu) {
    return cpu == Math.rint(cpu) ? text("%.0f", cpu) : text("%.2f", cpu).replaceAll("0+$", "");
  }

  private static String text(String format, Object... args) {
    return String.format(Locale.ROOT, format, args);
  }
}
