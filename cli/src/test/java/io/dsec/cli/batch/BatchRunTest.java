// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.cli.Bench;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code dsec batch run} against prepared replies. */
class BatchRunTest {
  private static final String BATCH =
      "{\"id\": \"b-1\", \"name\": \"n\", \"state\": \"%s\", \"total\": %d, \"states\": {},"
          + " \"endings\": {}, \"created_at\": \"2026-01-01T00:00:00Z\", \"ended_at\": %s}";

  @TempDir private Path dir;
  private Bench bench;

  @BeforeEach
  void start() throws Exception {
    bench = new Bench();
  }

  @AfterEach
  void stop() {
    bench.close();
  }

  private int run(int total, String results, String... options) throws Exception {
    StringBuilder file = new StringBuilder("name: n\ntasks:\n");
    for (int i = 1; i <= total; i++) {
      file.append("  - {id: t").append(i).append(", shell: x}\n");
    }
    Path batch = Files.writeString(dir.resolve("b.yaml"), file);
    bench.reply("POST /v1/batches", 201, BATCH.formatted("running", total, "null"));
    bench.reply(
        "GET /v1/batches/b-1", 200, BATCH.formatted("finished", total, "\"2026-01-01T00:00:09Z\""));
    bench.reply("GET /v1/batches/b-1/results", 200, results);
    String[] words = new String[3 + options.length];
    words[0] = "batch";
    words[1] = "run";
    words[2] = batch.toString();
    System.arraycopy(options, 0, words, 3, options.length);
    return bench.run(words);
  }

  private static String result(String id, String ending) {
    return """
    {"id": "%s", "sandbox": "sb-aaaaaaaaaaaaaaaa", "node": "n1", "attempt": 1, "ending": %s, \
    "stdout": "", "stderr": "Traceback\\nValueError: no\\n", "duration_seconds": 0.5, \
    "timings": {"queued": 0.1, "placed": 0.01, "prepared": 0.01, "started": 0.02}}
    """
        .formatted(id, ending);
  }

  private static final String GOOD = "{\"kind\": \"exited\", \"code\": 0, \"is_fault\": false}";
  private static final String WRONG =
      "{\"kind\": \"exited\", \"code\": 1, \"is_fault\": false, \"limits_hit\": [\"disk\"]}";
  private static final String LOST =
      "{\"kind\": \"lost\", \"reason\": \"node_lost\", \"is_fault\": true}";

  @Test
  void theSummaryCountsEndingsLimitsAndTimes() throws Exception {
    Path out = dir.resolve("out.jsonl");
    String results = result("t1", GOOD) + result("t2", WRONG);
    assertThat(run(2, results, "--out", out.toString())).isZero();
    assertThat(bench.out())
        .contains("n (b-1): 2 of 2 tasks ended")
        .contains("exited 0      1  50.0%", "exited 1      1  50.0%")
        .contains("disk           1")
        .contains("queueing   100ms   100ms   100ms   100ms")
        .contains("start     40.0ms", "run        500ms")
        .contains("ValueError: no")
        .contains("No platform faults.")
        .doesNotContain("\u001b");
    assertThat(Files.readAllLines(out)).hasSize(2).first().asString().startsWith("{\"id\":\"t1\"");
  }

  @Test
  void aWrongAnswerFailsOnlyWhenStrict() throws Exception {
    assertThat(run(1, result("t1", WRONG), "--strict")).isEqualTo(1);
  }

  @Test
  void aPlatformFaultFailsAndIsListed() throws Exception {
    assertThat(run(2, result("t1", GOOD) + result("t2", LOST))).isEqualTo(1);
    assertThat(bench.out()).contains("Platform faults", "lost node_lost");
  }

  @Test
  void aTaskWithoutAResultIsNoSuccess() throws Exception {
    assertThat(run(2, result("t1", GOOD))).isEqualTo(1);
    assertThat(bench.err()).contains("1 tasks have no result");
  }

  @Test
  void watchingTellsOfEachTask() throws Exception {
    run(1, result("t1", GOOD), "--watch");
    assertThat(bench.err()).contains("t1  exited 0\n");
  }

  @Test
  void aRefusedBatchIsWrongUsageWithTheServersMessage() throws Exception {
    Path batch =
        Files.writeString(dir.resolve("b.yaml"), "tasks: [{id: a, shell: x, after: [a]}]\n");
    bench.reply(
        "POST /v1/batches",
        400,
        "{\"error\": {\"code\": \"invalid_request\", \"message\": \"tasks wait for each other: a, a\"}}");
    assertThat(bench.run("batch", "run", batch.toString())).isEqualTo(2);
    assertThat(bench.err()).isEqualTo("dsec: tasks wait for each other: a, a\n");
  }
}
