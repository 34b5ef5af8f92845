// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.DsecException;
import io.dsec.model.Quantity;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Sizes and durations of requests: a number, or a text with a unit. */
final class Amount {
  private static final int LONGEST = 40;
  private static final BigDecimal LARGEST = BigDecimal.valueOf(Long.MAX_VALUE);

  private Amount() {}

  static Optional<Long> size(String field, @Nullable JsonNode value) {
    return text(field, value).map(t -> Quantity.size(field, t));
  }

  static Optional<Duration> duration(String field, @Nullable JsonNode value) {
    return text(field, value).map(t -> Quantity.duration(field, t));
  }

  static Duration duration(String field, String text) {
    return Quantity.duration(field, bounded(field, text));
  }

  private static Optional<String> text(String field, @Nullable JsonNode value) {
    if (value == null || value.isNull()) {
      return Optional.empty();
    }
    if (value.isString()) {
      return Optional.of(bounded(field, value.asString()));
    }
    if (!value.isNumber()) {
      throw DsecException.invalid(
          field, "%s is %s; write a number or a text".formatted(field, value.getNodeType()));
    }
    BigDecimal number = finite(field, value);
    if (number.signum() < 0) {
      throw DsecException.invalid(field, "%s is negative".formatted(field));
    }
    if (number.precision() - number.scale() > 20 || number.compareTo(LARGEST) > 0) {
      throw DsecException.invalid(field, "%s is too large".formatted(field));
    }
    if (number.scale() > 30) {
      throw DsecException.invalid(field, "%s has too many decimals".formatted(field));
    }
    return Optional.of(number.toPlainString());
  }

  /** Beyond the range of a double a number is read as infinite, which no decimal can be. */
  private static BigDecimal finite(String field, JsonNode value) {
    if (value.isDouble() && !Double.isFinite(value.doubleValue())) {
      throw DsecException.invalid(field, "%s is too large".formatted(field));
    }
    return value.decimalValue();
  }

  private static String bounded(String field, String text) {
    if (text.length() > LONGEST) {
      throw DsecException.invalid(field, "%s is longer than any number".formatted(field));
    }
    return text;
  }
}
