// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/**
 * {@code kill -9} at the worst moments: nothing leaks, what survived is usable, every task has an
 * ending.
 */
class CrashTest {
  @TempDir Path temp;

  @BeforeEach
  void root() {
    Assumptions.assumeTrue("root".equals(System.getProperty("user.name")), "SKIPPED: needs root");
  }

  @Test
  void f15SandboxesOutliveTheirNodeAndGhostsAreTold() throws IOException {
    HostState before = HostState.now();
    Path data = temp.resolve("d");
    DsecProcess dsec = DsecProcess.start(data);
    List<Box> boxes = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      Box box = dsec.api().create();
      box.sh("echo " + i + " > /workspace/mark; sleep 300 >/dev/null 2>&1 & exit 0");
      boxes.add(box);
    }
    long victim = inits().iterator().next();
    dsec.kill9();
    ProcessHandle.of(victim).orElseThrow().destroyForcibly();
    try (DsecProcess again = DsecProcess.start(data)) {
      Api api = again.api();
      await()
          .atMost(10, SECONDS)
          .untilAsserted(
              () -> {
                List<String> states =
                    boxes.stream().map(b -> new Box(api, b.id()).state()).sorted().toList();
                assertThat(states.stream().filter("running"::equals)).hasSize(4);
                assertThat(states.stream().filter(s -> s.equals("failed") || s.equals("gone")))
                    .hasSize(1);
              });
      int usable = 0;
      for (int i = 0; i < 5; i++) {
        Box box = new Box(api, boxes.get(i).id());
        if (box.state().equals("running")) {
          usable++;
          assertThat(box.exec("cat", "/workspace/mark").stdout()).isEqualTo(i + "\n");
        } else {
          assertThat(api.get("/v1/sandboxes/" + box.id()).json().path("reason").asString(""))
              .isNotEmpty();
        }
      }
      assertThat(usable).isEqualTo(4);
      assertThat(libraries(data)).as("the killed one's copy is gone").hasSize(1);
    }
    assertThat(libraries(data)).isEmpty();
    HostState.assertNothingLeft(before, data);
  }

  @Test
  void f30NothingIsLeftWhereverTheNodeWasKilled() throws Exception {
    rounds(3, 60);
  }

  @Test
  @Tag("soak")
  void f30TwentyRoundsOfTwoHundredTasks() throws Exception {
    rounds(20, 200);
  }

  private void rounds(int rounds, int tasks) throws Exception {
    HostState before = HostState.now();
    Path data = temp.resolve("d");
    long seed = Long.getLong("dsec.seed", System.nanoTime());
    System.out.println("CrashTest seed: -Ddsec.seed=" + seed);
    Random random = new Random(seed);
    DsecProcess dsec = DsecProcess.start(data);
    for (int round = 0; round < rounds; round++) {
      String batch = post(dsec.api(), tasks);
      new CountDownLatch(1).await(200 + random.nextInt(2500), TimeUnit.MILLISECONDS);
      if (random.nextInt(3) == 0) {
        // The launcher alone: sandboxes and node go on.
        ProcessHandle.of(dsec.pid())
            .orElseThrow()
            .children()
            .forEach(ProcessHandle::destroyForcibly);
      } else {
        dsec.kill9();
        dsec = DsecProcess.start(data);
      }
      Api api = dsec.api();
      await()
          .atMost(Duration.ofMinutes(2))
          .pollInterval(Duration.ofMillis(300))
          .until(
              () ->
                  api.get("/v1/batches/" + batch)
                      .json()
                      .path("state")
                      .asString("")
                      .equals("finished"));
      Set<String> ended = new HashSet<>();
      for (String line : api.get("/v1/batches/" + batch + "/results").text().lines().toList()) {
        JsonNode result = io.dsec.link.Json.mapper().readTree(line);
        assertThat(ended.add(result.path("id").asString(""))).as("one ending per task").isTrue();
        assertThat(result.path("ending").path("kind").asString("")).isNotEmpty();
      }
      assertThat(ended).hasSize(tasks);
      Box probe = api.create();
      assertThat(probe.exec("echo", "works").stdout()).isEqualTo("works\n");
      probe.close();
    }
    dsec.close();
    HostState.assertNothingLeft(before, data);
  }

  private static String post(Api api, int count) {
    List<Map<String, Object>> tasks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      tasks.add(
          Map.of(
              "id",
              "t" + i,
              "command",
              List.of(
                  "sh",
                  "-c",
                  "dd if=/dev/zero of=/tmp/f bs=1M count=5 2>/dev/null; sleep 0."
                      + i % 7
                      + "; echo done")));
    }
    Api.Reply reply =
        api.post(
            "/v1/batches",
            Map.of(
                "name",
                "crash",
                "image",
                "host",
                "pacing",
                "adaptive",
                "resources",
                Map.of("cpu", 0.1, "memory", "32Mi", "disk", "32Mi"),
                "defaults",
                Map.of(
                    "timeout", "30s", "retries", Map.of("on", List.of("lost", "killed"), "max", 2)),
                "tasks",
                tasks));
    assertThat(reply.status()).as(reply.text()).isBetween(200, 202);
    return reply.json().path("id").asString("");
  }

  /** Copies of the database's library. */
  private static List<String> libraries(Path data) throws IOException {
    try (Stream<Path> all = Files.list(data.resolve("native"))) {
      return all.map(Path::toString).filter(name -> name.endsWith(".so")).toList();
    }
  }

  private static Set<Long> inits() {
    Set<Long> out = new HashSet<>();
    for (String line : HostState.now().processes()) {
      if (line.endsWith("dsec-init")) {
        out.add(Long.parseLong(line.substring(0, line.indexOf(' '))));
      }
    }
    return out;
  }
}
