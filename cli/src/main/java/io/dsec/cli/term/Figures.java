// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.term;

import java.math.BigDecimal;
import java.math.RoundingMode;
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
      return decimal(seconds * 1e6, 0) + "µs";
    }
    if (seconds < 1) {
      return decimal(seconds * 1e3, seconds < 0.1 ? 1 : 0) + "ms";
    }
    if (seconds < 60) {
      return decimal(seconds, seconds < 10 ? 2 : 1) + "s";
    }
    long whole = length.toSeconds();
    if (whole < 3600) {
      return String.format(Locale.ROOT, "%dm%02ds", whole / 60, whole % 60);
    }
    return whole < 86_400
        ? String.format(Locale.ROOT, "%dh%02dm", whole / 3600, whole % 3600 / 60)
        : whole / 86_400 + "d" + whole % 86_400 / 3600 + "h";
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
    return decimal(value, value == Math.rint(value) ? 0 : 1) + SIZES[unit];
  }

  /** {@code 1}, {@code 0.5}. */
  public static String cores(double cpu) {
    return decimal(cpu, cpu == Math.rint(cpu) ? 0 : 2);
  }

  /** A number with that many decimals, whatever the user's locale. */
  public static String decimal(double value, int decimals) {
    return BigDecimal.valueOf(value).setScale(decimals, RoundingMode.HALF_UP).toPlainString();
  }
}
