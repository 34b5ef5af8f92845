// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.batch;

import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;

/** A YAML or JSON value that knows where it stands. */
sealed interface Doc {
  Mark at();

  /**
   * @param value text, number, boolean or null, as the notation says
   */
  record Scalar(Mark at, JsonNode value) implements Doc {
    /** The value as text, also when it was written as a number or a boolean. */
    String text() {
      return value.asString();
    }
  }

  record Items(Mark at, List<Doc> items) implements Doc {}

  record Fields(Mark at, Map<String, Field> fields) implements Doc {}

  record Field(Mark at, Doc value) {}

  /** What it is, in words. */
  default String sort() {
    return switch (this) {
      case Items _ -> "a list";
      case Fields _ -> "a mapping";
      case Scalar s when s.value().isNull() -> "empty";
      case Scalar s when s.value().isNumber() -> "the number " + s.text();
      case Scalar s when s.value().isBoolean() -> "the boolean " + s.text();
      case Scalar _ -> "a text";
    };
  }
}
