// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.batch;

import io.dsec.link.Json;
import io.dsec.model.DsecException;
import io.dsec.model.Quantity;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What the value of a field must be; turns it into the JSON that is sent. */
@FunctionalInterface
interface Rule {
  JsonNode check(String field, Doc value);

  Rule TEXT = (field, value) -> node(scalar(field, value, "a text").text());

  Rule BOOLEAN =
      (field, value) -> {
        if (value instanceof Doc.Scalar s && s.value().isBoolean()) {
          return s.value();
        }
        throw wrong(field, value, "true or false");
      };

  Rule INTEGER =
      (field, value) -> {
        if (value instanceof Doc.Scalar s && s.value().isIntegralNumber()) {
          return s.value();
        }
        throw wrong(field, value, "a whole number");
      };

  Rule NUMBER =
      (field, value) -> {
        if (value instanceof Doc.Scalar s && s.value().isNumber()) {
          return s.value();
        }
        throw wrong(field, value, "a number");
      };

  Rule SIZE = quantity("a size such as 512Mi", Quantity::size);

  Rule DURATION = quantity("a duration such as 30s", Quantity::duration);

  Rule TEXTS = list(TEXT);

  Rule TEXT_MAP = map(TEXT);

  /** Passed on as it is; the server knows what it means. */
  Rule ANY =
      (field, value) ->
          switch (value) {
            case Doc.Scalar s -> s.value();
            case Doc.Items items -> list(Rule.ANY).check(field, items);
            case Doc.Fields fields -> map(Rule.ANY).check(field, fields);
          };

  static Rule list(Rule item) {
    return (field, value) -> {
      if (!(value instanceof Doc.Items(Mark _, List<Doc> items))) {
        throw wrong(field, value, "a list");
      }
      ArrayNode all = Json.mapper().createArrayNode();
      items.forEach(each -> all.add(item.check(field, each)));
      return all;
    };
  }

  static Rule map(Rule of) {
    return (field, value) -> {
      if (!(value instanceof Doc.Fields(Mark _, Map<String, Doc.Field> fields))) {
        throw wrong(field, value, "a mapping");
      }
      ObjectNode all = Json.mapper().createObjectNode();
      fields.forEach((name, each) -> all.set(name, of.check(field + "." + name, each.value())));
      return all;
    };
  }

  static <E extends Enum<E>> Rule oneOf(Class<E> type) {
    List<String> names = Arrays.stream(type.getEnumConstants()).map(Json::lower).toList();
    return (field, value) -> {
      if (value instanceof Doc.Scalar s && names.contains(s.text())) {
        return s.value();
      }
      throw wrong(field, value, names.stream().collect(Collectors.joining(", ", "one of ", "")));
    };
  }

  private static Rule quantity(String sort, java.util.function.BiFunction<String, String, ?> read) {
    return (field, value) -> {
      Doc.Scalar scalar = scalar(field, value, sort);
      try {
        Object _ = read.apply(field, scalar.text());
        return scalar.value();
      } catch (DsecException e) {
        throw new BatchFileException(value.at(), e.message());
      }
    };
  }

  private static Doc.Scalar scalar(String field, Doc value, String sort) {
    if (value instanceof Doc.Scalar s && !s.value().isNull()) {
      return s;
    }
    throw wrong(field, value, sort);
  }

  private static JsonNode node(String text) {
    return tools.jackson.databind.node.JsonNodeFactory.instance.stringNode(text);
  }

  static BatchFileException wrong(String field, Doc value, String wanted) {
    return new BatchFileException(
        value.at(), "%s must be %s, and is %s".formatted(field, wanted, value.sort()));
  }
}
