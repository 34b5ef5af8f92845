// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.cli.Bench;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class HumanEvalTest {
  private static final String PROBLEM =
      """
      {"task_id": "Set/0", "prompt": "def f(x):\\n", "canonical_solution": "    return x\\n", "test": "\\n\\ndef check(c):\\n    assert c(1) == 1\\n", "entry_point": "f"}
      """;

  @TempDir private Path dir;

  @Test
  void theReferenceSolutionsMakeABatchThatCanBeRead() throws Exception {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(PROBLEM.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
    Path problems = Files.write(dir.resolve("p.jsonl.gz"), packed.toByteArray());
    Path out = dir.resolve("batch.json");
    try (Bench bench = new Bench()) {
      assertThat(bench.run("batch", "from-humaneval", problems.toString(), "--out", out.toString()))
          .isZero();
      assertThat(bench.out()).isEqualTo("1 tasks in " + out + "\n");
    }
    JsonNode task = BatchFile.read(out).request().path("tasks").path(0);
    assertThat(task.path("id").asString("")).isEqualTo("Set-0");
    assertThat(task.path("command").toString())
        .isEqualTo("[\"python3\",\"/workspace/solution.py\"]");
    assertThat(task.path("files").path("/workspace/solution.py").asString(""))
        .isEqualTo("def f(x):\n    return x\n\ndef check(c):\n    assert c(1) == 1\n\ncheck(f)\n");
  }

  @Test
  void severalSolutionsOfOneProblemAreSeveralTasks() throws Exception {
    Path problems = Files.writeString(dir.resolve("p.jsonl"), PROBLEM);
    Path solutions =
        Files.writeString(
            dir.resolve("s.jsonl"),
            """
            {"task_id": "Set/0", "completion": "    return 2"}
            {"task_id": "Set/0", "solution": "f = id"}
            """);
    JsonNode tasks = HumanEval.batch(problems, java.util.Optional.of(solutions)).path("tasks");
    assertThat(tasks.path(0).path("id").asString("")).isEqualTo("Set-0-1");
    assertThat(program(tasks.path(0))).startsWith("def f(x):\n    return 2\n\ndef check");
    assertThat(program(tasks.path(1))).startsWith("f = id\n\ndef check");
  }

  @Test
  void anotherKindOfFileIsRefusedWithItsLine() throws Exception {
    Path problems = Files.writeString(dir.resolve("p.jsonl"), "\n{\"task_id\": \"x\"}\n");
    try (Bench bench = new Bench()) {
      assertThat(bench.run("batch", "from-humaneval", problems.toString(), "--out", "/dev/null"))
          .isEqualTo(1);
      assertThat(bench.err()).contains(problems + ":2: there is no text \"prompt\"");
    }
  }

  private static String program(JsonNode task) {
    return task.path("files").path("/workspace/solution.py").asString("");
  }
}
