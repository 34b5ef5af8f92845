// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Lays one JSON object over another: objects are merged, everything else is replaced. */
final class Merge {
  private Merge() {}

  static void into(ObjectNode base, ObjectNode over) {
    for (Map.Entry<String, JsonNode> field : over.properties()) {
      if (field.getValue() instanceof ObjectNode upper
          && base.get(field.getKey()) instanceof ObjectNode lower) {
        into(lower, upper);
      } else {
        base.set(field.getKey(), field.getValue());
      }
    }
  }
}
