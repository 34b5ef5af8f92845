// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sizes ({@code "512Mi"}, bytes) and durations ({@code "1.5s"}, {@code "5m"}, seconds) as users
 * write them.
 */
public final class Quantity {
  private static final Pattern SIZE = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*([KMGTP]i?)?B?");
  private static final Pattern DURATION = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*(ms|s|m|h|d)?");
  private static final String UNITS = "KMGTP";

  private Quantity() {}

  /** Bytes. {@code Ki Mi Gi Ti Pi} are powers of 1024, {@code K M G T P} of 1000. */
  public static long size(String field, String text) {
    Matcher m = SIZE.matcher(text.strip());
    if (!m.matches()) {
      throw DsecException.invalid(
          field, "%s is \"%s\"; write bytes or a size such as 512Mi or 1Gi".formatted(field, text));
    }
    String unit = m.group(2);
    BigDecimal factor =
        unit == null
            ? BigDecimal.ONE
            : BigDecimal.valueOf(unit.length() == 2 ? 1024 : 1000)
                .pow(UNITS.indexOf(unit.charAt(0)) + 1);
    BigDecimal bytes = new BigDecimal(m.group(1)).multiply(factor);
    if (bytes.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
      throw DsecException.invalid(field, "%s is \"%s\", which is too large".formatted(field, text));
    }
    return bytes.longValue();
  }

  /** A bare number counts seconds. */
  public static Duration duration(String field, String text) {
    Matcher m = DURATION.matcher(text.strip());
    if (!m.matches()) {
      throw DsecException.invalid(
          field,
          "%s is \"%s\"; write seconds or a duration such as 30s, 5m or 250ms"
              .formatted(field, text));
    }
    String unit = m.group(2) == null ? "s" : m.group(2);
    long nanosPerUnit =
        switch (unit) {
          case "ms" -> 1_000_000L;
          case "m" -> 60_000_000_000L;
          case "h" -> 3_600_000_000_000L;
          case "d" -> 86_400_000_000_000L;
          default -> 1_000_000_000L;
        };
    BigDecimal nanos = new BigDecimal(m.group(1)).multiply(BigDecimal.valueOf(nanosPerUnit));
    if (nanos.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
      throw DsecException.invalid(field, "%s is \"%s\", which is too long".formatted(field, text));
    }
    return Duration.ofNanos(nanos.longValue());
  }
}
