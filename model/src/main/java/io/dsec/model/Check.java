// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

import java.util.Locale;

/** Bounds of values that users give; a breach names the field, the value and the bounds. */
public final class Check {
  private Check() {}

  public static void between(String field, long value, long min, long max) {
    if (value < min || value > max) {
      throw DsecException.invalid(
          field, "%s is %d; it must be from %d to %d".formatted(field, value, min, max));
    }
  }

  static void between(String field, double value, double min, double max) {
    if (!(value >= min && value <= max)) {
      throw DsecException.invalid(
          field,
          String.format(Locale.ROOT, "%s is %s; it must be from %s to %s", field, value, min, max));
    }
  }

  static void noNul(String field, String value) {
    int at = value.indexOf('\0');
    if (at >= 0) {
      throw DsecException.invalid(
          field,
          "%s has a NUL character at index %d; the kernel cannot pass it".formatted(field, at));
    }
  }
}
