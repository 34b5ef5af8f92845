// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.link.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * The main job, as a user starts it: the CLI runs a round with the server embedded, then nothing is
 * left.
 */
class FirstRoundTest {
  @TempDir Path temp;

  @BeforeEach
  void root() {
    Assumptions.assumeTrue("root".equals(System.getProperty("user.name")), "SKIPPED: needs root");
  }

  @Test
  void theExampleRoundShowsEveryEnding() throws Exception {
    HostState before = HostState.now();
    Path out = temp.resolve("results.jsonl");
    Process process = batch(DsecProcess.root().resolve("examples/first-round.yaml"), out);
    String said =
        new String(
            process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(said).isZero();
    Map<String, Integer> endings = new TreeMap<>();
    for (String line : Files.readAllLines(out)) {
      JsonNode result = Json.mapper().readTree(line);
      endings.merge(result.path("ending").path("kind").asString("?"), 1, Integer::sum);
      assertThat(result.path("ending").path("is_fault").asBoolean(true)).as(line).isFalse();
    }
    assertThat(endings.keySet()).contains("exited", "signaled", "timeout", "oom", "not_started");
    assertThat(endings.values().stream().mapToInt(Integer::intValue).sum()).isBetween(150, 300);
    assertThat(said).contains("exited", "timeout", "oom", "P50", "P99");
    HostState.assertNothingLeft(before, temp.resolve("data"));
  }

  @Test
  void interruptingABatchLeavesNothingRunning() throws Exception {
    HostState before = HostState.now();
    Path file = temp.resolve("long.yaml");
    Files.writeString(
        file,
        """
        name: long
        image: host
        pacing: adaptive
        resources: {cpu: 0.1, memory: 32Mi, disk: 16Mi}
        tasks:
        """
            + "  - {id: a%d, command: [\"sleep\", \"300\"]}\n".repeat(20).formatted(numbers(20)));
    Process process = batch(file, temp.resolve("out.jsonl"));
    org.awaitility.Awaitility.await()
        .atMost(60, TimeUnit.SECONDS)
        .until(() -> HostState.now().processes().size() - before.processes().size() >= 10);
    new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isNotZero();
    HostState.assertNothingLeft(before, temp.resolve("data"));
  }

  @ParameterizedTest
  @ValueSource(ints = {300, 600, 900, 1200, 1600})
  void interruptingTheStartLeavesNothing(int millis) throws Exception {
    HostState before = HostState.now();
    Process process =
        batch(DsecProcess.root().resolve("examples/first-round.yaml"), temp.resolve("out.jsonl"));
    assertThat(process.waitFor(millis, TimeUnit.MILLISECONDS)).isFalse();
    new ProcessBuilder("kill", "-TERM", Long.toString(process.pid())).start().waitFor();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    HostState.assertNothingLeft(before, temp.resolve("data"));
  }

  @Test
  void aBrokenBatchFileIsToldWithLineAndColumn() throws Exception {
    Path file = temp.resolve("broken.yaml");
    Files.writeString(
        file, "name: x\nimage: host\ntasks:\n  - {id: a, command: [\"true\"\n  - oops\n");
    Process process = batch(file, temp.resolve("out.jsonl"));
    String said =
        new String(
            process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).isEqualTo(2);
    assertThat(said).contains("broken.yaml:5:3").doesNotContain("\tat io.dsec");
  }

  private Process batch(Path file, Path out) throws java.io.IOException {
    ProcessBuilder builder =
        DsecProcess.command(
            temp, List.of(), "batch", "run", file.toString(), "--out", out.toString());
    builder.environment().put("DSEC_DATA", temp.resolve("data").toString());
    return builder.redirectErrorStream(true).start();
  }

  private static Object[] numbers(int count) {
    Object[] out = new Object[count];
    for (int i = 0; i < count; i++) {
      out[i] = i;
    }
    return out;
  }
}
