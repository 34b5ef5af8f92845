// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.batch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

class BatchFileTest {
  @TempDir private Path dir;

  private Path file(String name, String text) throws Exception {
    return Files.writeString(dir.resolve(name), text);
  }

  @Test
  void readsTheFormOfTheInterface() throws Exception {
    file("more.jsonl", "{\"id\": \"c\", \"shell\": \"exit 3\"}\n\n");
    BatchFile batch =
        BatchFile.read(
            file(
                "b.yaml",
                """
                name: humaneval
                image: host
                resources: {cpu: 1, memory: 256Mi, disk: 64Mi}
                defaults: {timeout: 30s, isolation: container, retries: {on: [lost, killed], max: 2}}
                wave_size: 200
                micro_batch: {size: 5, interval: 2s}
                tasks:
                  - {id: a, command: ["python3", "/workspace/t.py"], files: {"/workspace/t.py": "print(1)"}}
                  - {id: b, command: [sleep, 1], after: [a]}
                tasks_from: {jsonl: more.jsonl}
                """));
    assertThat(batch.size()).isEqualTo(3);
    JsonNode request = batch.request();
    assertThat(request.path("resources").path("memory").asString("")).isEqualTo("256Mi");
    assertThat(request.path("tasks").path(1).path("command").toString())
        .isEqualTo("[\"sleep\",\"1\"]");
    assertThat(request.path("tasks").path(2).path("shell").asString("")).isEqualTo("exit 3");
    assertThat(request.has("tasks_from")).isFalse();
  }

  @Test
  void anchorsAliasesAndMergesAreResolved() throws Exception {
    BatchFile batch =
        BatchFile.read(
            file(
                "b.yaml",
                """
                x-base: &base {command: ['true'], files: {/a: text}}
                tasks:
                  - {<<: *base, id: one}
                  - {<<: *base, id: two, files: {/b: other}}
                """));
    assertThat(batch.request().path("tasks").toString())
        .isEqualTo(
            "[{\"id\":\"one\",\"command\":[\"true\"],\"files\":{\"/a\":\"text\"}},"
                + "{\"id\":\"two\",\"files\":{\"/b\":\"other\"},\"command\":[\"true\"]}]");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          tasks: [{id: a, comand: [x]}]               | 1:17 | a task has no field "comand"; did you mean "command"?
          name: [x]                                   | 1:7  | name must be a text, and is a list
          defaults: {timeout: 30 parsecs}             | 1:21 | timeout is "30 parsecs"
          resources: {memory: 1 elephant}             | 1:21 | memory is "1 elephant"
          resources: {cpu: lots}                      | 1:18 | cpu must be a number
          pacing: fast%n  oops: x                     | 2:7  | not valid YAML
          tasks: [{id: a, command: x}]                | 1:26 | command must be a list
          tasks: [{id: a}]                            | 1:9  | a task needs "command" (a list) or "shell" (a text)
          tasks: [{id: a, shell: x, command: [y]}]    | 1:9  | not both
          tasks: [{command: [x]}]                     | 1:9  | a task needs an "id"
          tasks:%n- {id: a, shell: x}%n- {id: a, shell: y} | 3:3 | taken by the task at
          tasks: [{id: a, shell: x, after: [b]}]      | 1:35 | comes after "b", which is no task of this batch
          tasks: []                                   | 1:1  | the batch has no task
          tasks_from: {jsonl: none.jsonl}             | 1:13 | which cannot be read
          isolation: jail                             | 1:12 | isolation must be one of auto, container
          name: x%nname: y                            | 2:1  | "name" stands here twice
          [1, 2]                                      | 1:1  | a batch file must be a mapping
          """)
  void aFaultIsToldWithItsPlace(String text, String place, String message) throws Exception {
    Path file = file("b.yaml", text.replace("%n", "\n"));
    assertThatExceptionOfType(BatchFileException.class)
        .isThrownBy(() -> BatchFile.read(file))
        .withMessageStartingWith(file + ":" + place + ": ")
        .withMessageContaining(message);
  }

  @Test
  void aFaultInALineFileIsToldWithThatFilesPlace() throws Exception {
    Path batch = file("b.yaml", "tasks_from: {jsonl: t.jsonl}\n");
    Path lines =
        file("t.jsonl", "{\"id\": \"a\", \"shell\": \"x\"}\n{\"id\": \"b\", \"shel\": \"x\"}\n");
    assertThatExceptionOfType(BatchFileException.class)
        .isThrownBy(() -> BatchFile.read(batch))
        .withMessageStartingWith(lines + ":2:13: ");
    file("t.jsonl", "{\"id\": \"a\", \"shell\": \"x\"}\n{\"id\": ");
    assertThatExceptionOfType(BatchFileException.class)
        .isThrownBy(() -> BatchFile.read(batch))
        .withMessageStartingWith(lines + ":2:")
        .withMessageContaining("not valid JSON");
  }

  @Test
  void aJsonBatchHasPlacesToo() throws Exception {
    Path file =
        file("b.json", "{\n  \"tasks\": [\n    {\"id\": 1, \"shell\": true, \"x\": 2}\n  ]\n}\n");
    assertThatExceptionOfType(BatchFileException.class)
        .isThrownBy(() -> BatchFile.read(file))
        .withMessageStartingWith(file + ":3:30: a task has no field \"x\"");
  }

  @Test
  void aMissingFileIsNamed() {
    assertThatExceptionOfType(BatchFileException.class)
        .isThrownBy(() -> BatchFile.read(dir.resolve("none.yaml")))
        .withMessageContaining("there is no file");
  }

  @Test
  void theFirstRoundHasTwoHundredTasks() {
    Path root = Path.of(System.getProperty("dsec.root", ".."));
    assertThat(BatchFile.read(root.resolve("examples/first-round.yaml")).size()).isEqualTo(200);
  }
}
