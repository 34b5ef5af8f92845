// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.batch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A batch file, checked as far as that goes without a server.
 *
 * @param request what is sent: the file's own fields, with all tasks in {@code tasks}
 */
public record BatchFile(ObjectNode request) {
  private static final Rule TASKS_FROM = new Shape("tasks_from", Map.of("jsonl", Rule.TEXT));

  public int size() {
    return request.path("tasks").size();
  }

  /**
   * @throws BatchFileException with file, line and column of the first fault
   */
  public static BatchFile read(Path file) {
    String text = text(file);
    String source = file.toString();
    Doc doc = source.endsWith(".json") ? JsonDoc.read(source, 1, text) : YamlDoc.read(source, text);
    if (!(doc instanceof Doc.Fields(Mark at, Map<String, Doc.Field> fields))) {
      throw Rule.wrong("a batch file", doc, "a mapping with \"tasks\"");
    }
    return new BatchFile(new Reading(file).batch(at, fields));
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      throw new BatchFileException("there is no file " + file, e);
    } catch (CharacterCodingException e) {
      throw new BatchFileException(file + " is not UTF-8 text", e);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + file, e);
    }
  }

  /** One pass over a file and what it refers to. */
  private static final class Reading {
    private final Path file;
    private final Map<String, Mark> ids = new HashMap<>();
    private final Map<String, Doc> after = new LinkedHashMap<>();

    Reading(Path file) {
      this.file = file;
    }

    ObjectNode batch(Mark at, Map<String, Doc.Field> fields) {
      Map<String, Doc.Field> own = new LinkedHashMap<>(fields);
      Doc.Field tasks = own.remove("tasks");
      Doc.Field from = own.remove("tasks_from");
      own.keySet().removeIf(name -> name.startsWith("x-"));
      ObjectNode request = (ObjectNode) BatchShapes.BATCH.check("batch", new Doc.Fields(at, own));
      ArrayNode all = request.putArray("tasks");
      if (tasks != null) {
        inline(tasks.value(), all);
      }
      if (from != null) {
        JsonNode source = TASKS_FROM.check("tasks_from", from.value());
        lines(source.path("jsonl").asString(""), from.value().at(), all);
      }
      if (all.isEmpty()) {
        throw new BatchFileException(
            at,
            "the batch has no task; write them below \"tasks\" or name a file in \"tasks_from\"");
      }
      checkReferences();
      return request;
    }

    private void inline(Doc tasks, ArrayNode all) {
      if (!(tasks instanceof Doc.Items(Mark _, List<Doc> items))) {
        throw Rule.wrong("tasks", tasks, "a list");
      }
      items.forEach(each -> all.add(task(each)));
    }

    private void lines(String name, Mark at, ArrayNode all) {
      Path path = file.resolveSibling(name);
      if (name.isEmpty() || !Files.isReadable(path)) {
        throw new BatchFileException(
            at, "tasks_from names the file \"%s\", which cannot be read".formatted(path));
      }
      int number = 0;
      for (String line : text(path).split("\n", -1)) {
        number++;
        if (!line.isBlank()) {
          all.add(task(JsonDoc.read(path.toString(), number, line)));
        }
      }
    }

    private JsonNode task(Doc doc) {
      ObjectNode task = (ObjectNode) BatchShapes.TASK.check("a task", doc);
      Map<String, Doc.Field> fields = ((Doc.Fields) doc).fields();
      boolean command = task.has("command");
      if (command == task.has("shell")) {
        throw new BatchFileException(
            doc.at(),
            command
                ? "a task has \"command\" (a list) or \"shell\" (a text), not both"
                : "a task needs \"command\" (a list) or \"shell\" (a text)");
      }
      if (command && task.path("command").isEmpty()) {
        throw new BatchFileException(doc.at(), "the command of a task is empty");
      }
      String id = task.path("id").asString("");
      if (id.isEmpty()) {
        throw new BatchFileException(doc.at(), "a task needs an \"id\"");
      }
      Mark first = ids.putIfAbsent(id, doc.at());
      if (first != null) {
        throw new BatchFileException(
            doc.at(), "the task id \"%s\" is taken by the task at %s".formatted(id, first));
      }
      Doc.Field earlier = fields.get("after");
      if (earlier != null) {
        after.put(id, earlier.value());
      }
      return task;
    }

    private void checkReferences() {
      after.forEach(
          (id, list) -> {
            for (Doc each : ((Doc.Items) list).items()) {
              String other = ((Doc.Scalar) each).text();
              if (!ids.containsKey(other)) {
                throw new BatchFileException(
                    each.at(),
                    "the task \"%s\" comes after \"%s\", which is no task of this batch"
                        .formatted(id, other));
              }
            }
          });
    }
  }
}
