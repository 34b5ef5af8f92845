// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** Pausing and resuming (F61, F62): no state sticks, nothing hangs, nothing is lost. */
@ExtendWith(SharedDsec.class)
class PauseCasesTest {
  private final Api api;

  PauseCasesTest(Api api) {
    this.api = api;
  }

  private JsonNode turn(Box box, String call) {
    Api.Reply reply = api.post("/v1/sandboxes/" + box.id() + "/" + call, "");
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    return reply.json();
  }

  private String pause(Box box) {
    return turn(box, "pause").path("state").asString("");
  }

  private String resume(Box box) {
    return turn(box, "resume").path("state").asString("");
  }

  @Test
  void f61FiftyRoundsWithoutAGapInFiveSandboxes() throws Exception {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Boolean>> all = new ArrayList<>();
      for (int i = 0; i < 5; i++) {
        all.add(threads.submit(this::fiftyRounds));
      }
      for (Future<Boolean> each : all) {
        assertThat(each.get(60, SECONDS)).isTrue();
      }
    }
  }

  private boolean fiftyRounds() {
    try (Box box = api.create(Map.of("resources", Map.of("memory", "64Mi")))) {
      Ran loop = box.sh("(while :; do :; done) & echo $!");
      for (int i = 0; i < 50; i++) {
        assertThat(pause(box)).isEqualTo("paused");
        assertThat(resume(box)).isEqualTo("running");
      }
      assertThat(box.sh("kill -0 " + loop.stdout().strip() + " && echo lives").stdout())
          .isEqualTo("lives\n");
      List<JsonNode> turns =
          box.trajectory().stream()
              .filter(e -> e.path("kind").asString("").matches("sandbox.(paused|resumed)"))
              .toList();
      assertThat(turns).hasSize(100);
      assertThat(turns.getLast().path("kind").asString("")).isEqualTo("sandbox.resumed");
      String events = api.get("/v1/sandboxes/" + box.id() + "/events").text();
      assertThat(events.lines().filter(l -> l.contains("\"paused\"")).count()).isGreaterThan(20);
      assertThat(events.lines().count()).as("bounded").isLessThan(80);
      return true;
    }
  }

  @Test
  void f61TwoPausesAtOnceAreOnePause() throws Exception {
    try (Box box = api.create();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<String>> calls = List.of(() -> pause(box), () -> pause(box), () -> pause(box));
      for (Future<String> each : threads.invokeAll(calls)) {
        assertThat(each.get()).isEqualTo("paused");
      }
      assertThat(kinds(box)).containsOnlyOnce("sandbox.paused");
      assertThat(resume(box)).isEqualTo("running");
      assertThat(resume(box)).isEqualTo("running");
      assertThat(kinds(box)).containsOnlyOnce("sandbox.resumed");
    }
  }

  private static List<String> kinds(Box box) {
    return box.trajectory().stream().map(e -> e.path("kind").asString("")).toList();
  }

  /** Output stands still while paused and goes on from there; the time limit waits as well. */
  @Test
  void f61APauseDuringAnExecStopsItAndItsTimeLimit() throws Exception {
    try (Box box = api.create();
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(
                    api.open(
                        "/v1/sandboxes/" + box.id() + "/exec",
                        Map.of(
                            "argv",
                            List.of("sh", "-c", "for i in 1 2 3 4; do echo $i; sleep 0.4; done"),
                            "timeout",
                            "3s")),
                    StandardCharsets.UTF_8))) {
      lines.readLine();
      assertThat(lines.readLine()).contains("stdout");
      assertThat(pause(box)).isEqualTo("paused");
      JsonNode before = api.get("/v1/sandboxes/" + box.id() + "/processes/e-1").json();
      waitFor(Duration.ofSeconds(4)); // longer than the time limit, which is what is tested
      JsonNode after = api.get("/v1/sandboxes/" + box.id() + "/processes/e-1").json();
      assertThat(after.path("state").asString("")).isEqualTo("running");
      assertThat(after.path("stdout_bytes").asLong() - before.path("stdout_bytes").asLong())
          .as("at most what was on its way")
          .isLessThanOrEqualTo(2);
      assertThat(box.state()).as("looking does not resume it").isEqualTo("paused");
      assertThat(resume(box)).isEqualTo("running");
      String rest = lines.lines().reduce("", String::concat);
      assertThat(rest).contains("\"kind\":\"exited\"").contains("\"code\":0");
      JsonNode ended = api.get("/v1/sandboxes/" + box.id() + "/processes/e-1").json();
      assertThat(ended.path("stdout_bytes").asLong()).isEqualTo(8);
      assertThat(ended.path("duration_seconds").asDouble()).isBetween(0.8, 3.0);
    }
  }

  /** A limit that is in use when its sandbox is paused still ends the exec afterwards. */
  @Test
  void aTimeLimitGoesOnAfterThePause() {
    try (Box box = api.create()) {
      JsonNode started =
          api.post(
                  "/v1/sandboxes/" + box.id() + "/processes",
                  Map.of("argv", List.of("sleep", "60"), "timeout", "1s"))
              .json();
      pause(box);
      resume(box);
      String path = "/v1/sandboxes/" + box.id() + "/processes/" + started.path("id").asString("");
      await()
          .atMost(10, SECONDS)
          .until(() -> api.get(path).text().contains("\"kind\":\"timeout\""));
    }
  }

  private static void waitFor(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    await().atMost(time.plusSeconds(5)).until(() -> System.nanoTime() > end);
  }

  @Test
  void f61AnExecResumesAPausedSandboxUnlessAskedNotTo() {
    try (Box box = api.create()) {
      pause(box);
      Map<String, Object> exec = Map.of("argv", List.of("echo", "hi"), "timeout", "3s");
      Api.Reply refused =
          box.tryRun(Map.of("argv", List.of("echo", "hi"), "resume", false, "timeout", "3s"));
      assertThat(refused.status()).isEqualTo(409);
      assertThat(refused.code()).isEqualTo("conflict");
      assertThat(refused.field()).isEqualTo("resume");
      assertThat(api.post("/v1/sandboxes/" + box.id() + "/exec?resume=false", exec).status())
          .isEqualTo(409);
      assertThat(box.state()).isEqualTo("paused");
      assertThat(box.run(exec).stdout()).isEqualTo("hi\n");
      await().atMost(5, SECONDS).until(() -> box.state().equals("running"));
      String events = api.get("/v1/sandboxes/" + box.id() + "/events").text();
      assertThat(events).contains("\"woken\"");
      pause(box);
      Api.Reply started =
          api.post(
              "/v1/sandboxes/" + box.id() + "/processes", Map.of("argv", List.of("sleep", "9")));
      assertThat(started.status()).as(started.text()).isEqualTo(201);
    }
  }

  @Test
  void f61DeletingAPausedSandboxAlwaysWorks() {
    Box plain = api.create();
    plain.sh("(while :; do :; done) & sleep 1000 & true");
    pause(plain);
    plain.close();
    assertThat(plain.state()).isEqualTo("gone");

    Box graceful = api.create();
    graceful.sh("(trap 'exit 0' TERM; while :; do sleep 0.1; done) & true");
    pause(graceful);
    assertThat(api.delete("/v1/sandboxes/" + graceful.id() + "?grace=5s").status()).isEqualTo(204);
    assertThat(graceful.state()).isEqualTo("gone");
  }

  @Test
  void aPausedSandboxExpires() {
    Box box = api.create(Map.of("ttl", "2s"));
    box.sh("sleep 1000 & true");
    pause(box);
    await().atMost(10, SECONDS).until(() -> box.state().equals("gone"));
    assertThat(api.get("/v1/sandboxes/" + box.id()).text()).contains("ttl_expired");
    assertThat(box.tryRun(Map.of("argv", List.of("true"))).status()).isEqualTo(410);
    assertThat(api.post("/v1/sandboxes/" + box.id() + "/pause", "").status()).isEqualTo(410);
  }

  /** F62: files written without fsync, renamed and deleted around three cycles of pause. */
  @Test
  void f62NothingWrittenIsLostOverPauses() {
    try (Box box = api.create()) {
      for (int i = 1; i <= 3; i++) {
        box.sh(
            "mkdir -p ~/d && cd ~/d && head -c 300000 /dev/urandom > f"
                + i
                + " && sha256sum f"
                + i
                + " >> sums && echo x > gone"
                + i
                + " && rm gone"
                + i
                + " && echo y > old && mv old new"
                + i);
        if (i == 2) {
          // a command is in the middle of writing, and its time runs out after the pause
          api.post(
              "/v1/sandboxes/" + box.id() + "/processes",
              Map.of(
                  "argv",
                  List.of("sh", "-c", "while :; do echo z >> ~/d/log; done"),
                  "timeout",
                  "1s"));
        }
        assertThat(pause(box)).isEqualTo("paused");
        assertThat(resume(box)).isEqualTo("running");
        Ran look = box.sh("cd ~/d && sha256sum -c sums >/dev/null && ls");
        assertThat(look.code()).as(look.stderr()).isZero();
        assertThat(look.stdout()).contains("f" + i, "new" + i).doesNotContain("gone", "old");
      }
    }
  }
}
