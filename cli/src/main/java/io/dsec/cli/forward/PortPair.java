// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.forward;

import io.dsec.model.DsecException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A port of this machine and the one inside that it leads to.
 *
 * @param local 0: any free one
 */
public record PortPair(int local, int inside) {
  private static final Pattern TEXT = Pattern.compile("(?:([0-9]{1,5}):)?([0-9]{1,5})");
  private static final int MAX = 65_535;

  /** {@code [LOCAL:]PORT}. */
  public static PortPair of(String text) {
    Matcher parts = TEXT.matcher(text);
    if (parts.matches()) {
      int inside = Integer.parseInt(parts.group(2));
      int local = parts.group(1) == null ? inside : Integer.parseInt(parts.group(1));
      if (inside > 0 && inside <= MAX && local <= MAX) {
        return new PortPair(local, inside);
      }
    }
    throw DsecException.invalid(
            "port", "\"%s\" is no [LOCAL:]PORT with ports from 1 to %d".formatted(text, MAX))
        .withHint("8080, 9000:80, or 0:80 for any free local port");
  }
}
