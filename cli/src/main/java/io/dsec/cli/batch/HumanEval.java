// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.batch;

import io.dsec.link.Json;
import java.io.BufferedInputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.zip.GZIPInputStream;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Makes a batch of a HumanEval file: JSON lines, plain or gzip, with {@code task_id}, {@code
 * prompt}, {@code canonical_solution}, {@code test} and {@code entry_point}.
 *
 * <p>Solutions are JSON lines with {@code task_id} and either {@code completion} (text that goes on
 * behind the prompt) or {@code solution} (the whole program before the tests); a task may have
 * several. Without them the reference solutions run.
 */
final class HumanEval {
  private static final String PROGRAM = "/workspace/solution.py";

  private HumanEval() {}

  static ObjectNode batch(Path problems, Optional<Path> solutions) {
    Map<String, List<Solution>> given = new LinkedHashMap<>();
    solutions.ifPresent(
        file ->
            rows(file, "task_id")
                .forEach(
                    row ->
                        given
                            .computeIfAbsent(
                                row.path("task_id").stringValue(), _ -> new ArrayList<>())
                            .add(Solution.of(file, row))));
    ObjectNode batch = Json.mapper().createObjectNode();
    batch.put("name", "humaneval").put("image", "host").put("pacing", "adaptive");
    batch.putObject("resources").put("cpu", 1).put("memory", "256Mi").put("disk", "64Mi");
    batch.putObject("defaults").put("timeout", "30s").put("isolation", "container");
    var tasks = batch.putArray("tasks");
    for (JsonNode row : rows(problems, "task_id", "prompt", "test", "entry_point")) {
      List<Solution> attempts =
          solutions.isPresent()
              ? given.getOrDefault(row.path("task_id").stringValue(), List.of())
              : List.of(new Solution(row.path("canonical_solution").asString(""), false));
      for (int i = 0; i < attempts.size(); i++) {
        tasks.add(task(row, attempts.get(i), attempts.size() == 1 ? "" : "-" + (i + 1)));
      }
    }
    if (tasks.isEmpty()) {
      throw new IllegalArgumentException("no task of %s has a solution".formatted(problems));
    }
    return batch;
  }

  /**
   * @param whole the text stands for the prompt too
   */
  private record Solution(String text, boolean whole) {
    static Solution of(Path file, JsonNode row) {
      boolean whole = row.path("solution").isString();
      JsonNode text = row.path(whole ? "solution" : "completion");
      if (!text.isString()) {
        throw new IllegalArgumentException(
            "%s: the solution of %s has neither \"completion\" nor \"solution\""
                .formatted(file, row.path("task_id").asString("?")));
      }
      return new Solution(text.stringValue(), whole);
    }

    String program(JsonNode problem) {
      return whole ? text : problem.path("prompt").stringValue() + text;
    }
  }

  private static ObjectNode task(JsonNode row, Solution solution, String suffix) {
    String name = row.path("task_id").stringValue();
    ObjectNode task = Json.mapper().createObjectNode();
    task.put("id", name.replaceAll("[^A-Za-z0-9_.-]", "-") + suffix);
    task.putArray("command").add("python3").add(PROGRAM);
    task.putObject("files")
        .put(
            PROGRAM,
            "%s\n\n%s\n\ncheck(%s)\n"
                .formatted(
                    solution.program(row).stripTrailing(),
                    row.path("test").stringValue().strip(),
                    row.path("entry_point").stringValue()));
    task.putObject("labels").put("problem", name);
    return task;
  }

  private static List<JsonNode> rows(Path file, String... required) {
    List<JsonNode> rows = new ArrayList<>();
    int number = 0;
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(open(file), StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        number++;
        if (line.isBlank()) {
          continue;
        }
        JsonNode row = Json.mapper().readTree(line);
        for (String field : required) {
          if (!row.path(field).isString()) {
            throw new IllegalArgumentException(
                "%s:%d: there is no text \"%s\"; is this a HumanEval file?"
                    .formatted(file, number, field));
          }
        }
        rows.add(row);
      }
      return rows;
    } catch (JacksonException e) {
      throw new IllegalArgumentException(
          "%s:%d: not valid JSON: %s".formatted(file, number, e.getOriginalMessage()), e);
    } catch (IOException e) {
      throw new IllegalArgumentException("cannot read %s: %s".formatted(file, e), e);
    }
  }

  private static InputStream open(Path file) throws IOException {
    BufferedInputStream in = new BufferedInputStream(Files.newInputStream(file));
    in.mark(2);
    boolean gzip = in.read() == 0x1f && in.read() == 0x8b;
    in.reset();
    return gzip ? new GZIPInputStream(in) : in;
  }
}
