// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Json;
import io.dsec.model.DsecException;
import io.dsec.server.batch.BatchPlan;
import io.dsec.server.batch.BatchSettings;
import io.dsec.server.batch.Graph;
import io.dsec.server.schedule.NodeDirectory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads {@code POST /batches}. The body is gone through twice, first for what all tasks share, then
 * task by task, so that no more than one task is ever held as a tree.
 */
final class BatchBody {
  private static final int LONGEST_ID = 128;

  private final BatchSettings settings;
  private final NodeDirectory nodes;

  BatchBody(BatchSettings settings, NodeDirectory nodes) {
    this.settings = settings;
    this.nodes = nodes;
  }

  BatchPlan read(byte[] body) {
    try {
      ObjectNode document = shared(body);
      BatchDocument shared = BatchDocument.of(document, settings);
      return tasks(body, document, shared);
    } catch (JacksonException e) {
      throw Bodies.fault(e, "");
    }
  }

  /** Everything but the tasks. */
  private static ObjectNode shared(byte[] body) {
    ObjectNode document = Json.mapper().createObjectNode();
    boolean any = false;
    try (JsonParser in = Json.mapper().createParser(body)) {
      if (in.nextToken() != JsonToken.START_OBJECT) {
        throw DsecException.invalid("body", "the body is not a JSON object");
      }
      while (in.nextToken() == JsonToken.PROPERTY_NAME) {
        String name = in.currentName();
        if (in.nextToken() == JsonToken.START_ARRAY && name.equals("tasks")) {
          in.skipChildren();
          any = true;
        } else {
          document.set(name, Bodies.ONE.readTree(in));
        }
      }
    }
    if (document.has("tasks_from")) {
      throw DsecException.invalid("tasks_from", "tasks_from names a file of the client")
          .withHint("`dsec batch run` reads it and sends the tasks themselves");
    }
    if (!any) {
      throw DsecException.invalid("tasks", "tasks is missing; write an array of tasks");
    }
    return document;
  }

  private BatchPlan tasks(byte[] body, ObjectNode document, BatchDocument shared) {
    List<String> ids = new ArrayList<>();
    List<String> tasks = new ArrayList<>();
    List<List<String>> after = new ArrayList<>();
    Map<String, Integer> numbers = new HashMap<>();
    try (JsonParser in = Json.mapper().createParser(body)) {
      JsonToken _ = in.nextToken();
      while (in.nextToken() == JsonToken.PROPERTY_NAME) {
        boolean here = in.currentName().equals("tasks");
        JsonToken _ = in.nextToken();
        if (!here) {
          in.skipChildren();
          continue;
        }
        while (in.nextToken() != JsonToken.END_ARRAY) {
          JsonNode task = Bodies.ONE.readTree(in);
          BatchTaskEntry entry = BatchTaskEntry.of(ids.size(), task, shared, nodes.members());
          if (numbers.putIfAbsent(entry.id(), ids.size()) != null) {
            throw DsecException.invalid(
                "tasks", "two tasks have the id \"%s\"".formatted(entry.id()));
          }
          checkId(entry.id());
          ids.add(entry.id());
          tasks.add(task.toString());
          after.add(entry.after());
        }
      }
    }
    if (ids.isEmpty()) {
      throw DsecException.invalid("tasks", "tasks is empty");
    }
    return new BatchPlan(
        shared.name(),
        document.toString(),
        ids,
        tasks,
        Graph.of(resolve(after, numbers, ids), ids),
        shared.pacing());
  }

  private static List<int @Nullable []> resolve(
      List<List<String>> after, Map<String, Integer> numbers, List<String> ids) {
    List<int @Nullable []> resolved = new ArrayList<>(after.size());
    for (int i = 0; i < after.size(); i++) {
      List<String> names = after.get(i);
      int[] own = new int[names.size()];
      for (int j = 0; j < own.length; j++) {
        Integer number = numbers.get(names.get(j));
        if (number == null) {
          throw DsecException.invalid(
              "tasks",
              "task \"%s\" waits for \"%s\", which is no task of this batch"
                  .formatted(ids.get(i), names.get(j)));
        }
        own[j] = number;
      }
      resolved.add(own.length == 0 ? null : own);
    }
    return resolved;
  }

  private static void checkId(String id) {
    if (id.isBlank() || id.length() > LONGEST_ID) {
      throw DsecException.invalid(
          "tasks", "the id \"%s\" must have 1 to %d characters".formatted(id, LONGEST_ID));
    }
    Texts.noNul("tasks", id);
  }
}
