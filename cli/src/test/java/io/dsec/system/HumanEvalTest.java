// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.link.Json;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The 164 problems of a HumanEval file, converted and run like any batch. */
class HumanEvalTest {
  @TempDir Path temp;

  @Test
  void everyCanonicalSolutionPasses() throws Exception {
    Path file = DsecProcess.root().resolve("../shared/data/HumanEval.jsonl.gz").normalize();
    Assumptions.assumeTrue(Files.exists(file), "SKIPPED: there is no " + file);
    Assumptions.assumeTrue("root".equals(System.getProperty("user.name")), "SKIPPED: needs root");
    HostState before = HostState.now();
    Path batch = temp.resolve("humaneval.json");
    Path results = temp.resolve("results.jsonl");
    run("batch", "from-humaneval", file.toString(), "--out", batch.toString());
    run("batch", "run", batch.toString(), "--out", results.toString(), "--strict");
    List<String> lines = Files.readAllLines(results);
    assertThat(lines).hasSize(164);
    for (String line : lines) {
      assertThat(Json.mapper().readTree(line).path("ending").path("code").asInt(-1))
          .as(line)
          .isZero();
    }
    HostState.assertNothingLeft(before, temp.resolve("data"));
  }

  private void run(String... args) throws Exception {
    ProcessBuilder builder = DsecProcess.command(temp, List.of(), args);
    builder.environment().put("DSEC_DATA", temp.resolve("data").toString());
    Process process = builder.redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(5, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(said).isZero();
  }
}
