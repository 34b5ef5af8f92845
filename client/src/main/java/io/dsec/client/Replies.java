// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.link.Json;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads what servers say; fields that a newer server adds are passed over. */
final class Replies {
  private static final JsonMapper MAPPER =
      Json.mapper()
          .rebuild()
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .build();

  private Replies() {}

  static JsonMapper mapper() {
    return MAPPER;
  }

  static <T> T as(JsonNode node, Class<T> type) {
    return MAPPER.treeToValue(node, type);
  }

  static @Nullable String text(JsonNode node, String field) {
    JsonNode value = node.path(field);
    return value.isString() ? value.stringValue() : null;
  }

  static <E extends Enum<E>> Optional<E> constant(Class<E> type, @Nullable String name) {
    if (name == null) {
      return Optional.empty();
    }
    for (E each : type.getEnumConstants()) {
      if (each.name().equals(name.toUpperCase(Locale.ROOT))) {
        return Optional.of(each);
      }
    }
    return Optional.empty();
  }
}
