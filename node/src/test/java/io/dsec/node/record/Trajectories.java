// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import io.dsec.link.Json;
import io.dsec.link.TrajectoryCursor;
import io.dsec.model.Bytes;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Reads trajectories in tests. */
final class Trajectories {
  private Trajectories() {}

  static List<JsonNode> events(TrajectoryCursor cursor) {
    List<JsonNode> events = new ArrayList<>();
    try (cursor) {
      for (String line = cursor.next(); line != null; line = cursor.next()) {
        events.add(Json.mapper().readTree(line));
      }
    }
    return events;
  }

  static byte[] bytes(JsonNode value) {
    return value.isString()
        ? value.asString().getBytes(StandardCharsets.UTF_8)
        : Bytes.base64(value.get("base64").asString()).toArray();
  }

  /** All recorded bytes of a stream, joined. */
  static byte[] stream(List<JsonNode> events, String exec, String stream) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (JsonNode event : events) {
      JsonNode data = event.get("data");
      if (event.get("kind").asString().equals("exec." + stream)
          && data.get("exec").asString().equals(exec)) {
        out.writeBytes(bytes(data.get("data")));
      }
    }
    return out.toByteArray();
  }

  /** The data of the only gap with this reason. */
  static JsonNode gap(List<JsonNode> events, String reason) {
    List<JsonNode> found =
        events.stream()
            .filter(e -> e.get("kind").asString().equals("record.gap"))
            .map(e -> e.get("data"))
            .filter(d -> d.get("reason").asString().equals(reason))
            .toList();
    if (found.size() != 1) {
      throw new AssertionError("%d gaps with reason %s".formatted(found.size(), reason));
    }
    return found.getFirst();
  }

  static ByteBuffer slice(byte[] data, int from, int length) {
    return ByteBuffer.wrap(data, from, Math.min(length, data.length - from));
  }
}
