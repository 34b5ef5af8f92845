// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dsec.client.DsecClient;
import io.dsec.link.ExecListener;
import io.dsec.model.Bytes;
import io.dsec.model.Ending;
import io.dsec.model.ExecResult;
import io.dsec.model.ExecSpec;
import io.dsec.model.SandboxId;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
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

/** Field cases of exec, by number. */
@ExtendWith(SharedDsec.class)
class ExecCasesTest {
  private final Api api;

  ExecCasesTest(Api api) {
    this.api = api;
  }

  @Test
  void theDurationCountsFromTheStartOfTheProcessToItsEnd() {
    try (Box box = api.create()) {
      long begun = System.nanoTime();
      Ran ran = box.exec("true");
      double whole = (System.nanoTime() - begun) / 1e9;
      assertThat(ran.seconds()).isBetween(0.0002, whole);
      assertThat(box.exec("sleep", "0.3").seconds()).isBetween(0.3, 3.0);
    }
  }

  @Test
  void f1BackgroundChildDoesNotHoldTheCall() {
    try (Box box = api.create()) {
      for (int i = 0; i < 100; i++) {
        Ran ran = box.sh("sleep 30 & echo started", "10s");
        assertThat(ran.ending()).isEqualTo("exited 0");
        assertThat(ran.stdout()).isEqualTo("started\n");
        assertThat(ran.seconds()).isLessThan(1);
      }
      assertThat(box.exec("true").seconds()).isLessThan(1);
      // Children in the background live on with the sandbox.
      assertThat(box.sh("grep -l sleep /proc/[0-9]*/comm | wc -l").stdout().strip())
          .isEqualTo("100");
    }
  }

  @Test
  void f2TimeoutKillsEverythingThatTheExecStarted() {
    try (Box box = api.create()) {
      Ran ran =
          box.sh(
              "trap '' TERM; setsid sh -c 'while :; do date +%s%N >/tmp/tick; sleep 0.2; done' & sleep 600",
              "1s");
      assertThat(ran.kind()).isEqualTo("timeout");
      assertThat(ran.seconds()).isBetween(0.9, 2.5);
      String tick = box.exec("cat", "/tmp/tick").stdout();
      assertThat(box.sh("sleep 1; cat /tmp/tick").stdout()).isEqualTo(tick);
    }
  }

  @Test
  void f2SignalsNeverReachARecycledProcess() throws Exception {
    try (Box box = api.create();
        ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Ran> sentinel = pool.submit(() -> box.sh("sleep 600 & wait $!; echo never", "300s"));
      await()
          .until(
              () -> box.sh("grep -l sleep /proc/[0-9]*/comm | wc -l").stdout().strip().equals("1"));
      for (int i = 0; i < 200; i++) {
        assertThat(box.run(Map.of("argv", List.of("sleep", "0.05"), "timeout", "50ms")).kind())
            .isIn("timeout", "exited");
      }
      assertThat(sentinel.isDone()).isFalse();
      assertThat(box.sh("grep -l sleep /proc/[0-9]*/comm | wc -l").stdout().strip()).isEqualTo("1");
      box.root("kill -9 -1");
      assertThat(sentinel.get().ending()).isEqualTo("signaled 9");
    }
  }

  @Test
  void f3CharactersSplitBetweenReadsStayWhole() {
    String script =
        "head -c 8191 /dev/zero | tr '\\0' x; i=0; while [ $i -lt 300 ]; do printf '"
            + "\u754c".repeat(100)
            + "'; i=$((i+1)); done";
    try (Box box = api.create()) {
      Ran ran = box.sh(script);
      assertThat(ran.stdoutTotal()).isEqualTo(98_191);
      assertThat(ran.stdout()).hasSize(38_191).doesNotContain("\ufffd");
      StringBuilder streamed = new StringBuilder();
      Bytes joined = joined(box.stream(Map.of("argv", List.of("sh", "-c", script))), "stdout");
      streamed.append(joined.text().orElse("not UTF-8"));
      assertThat(streamed.toString()).isEqualTo(ran.stdout());
      StringBuilder recorded = new StringBuilder();
      for (JsonNode event : box.trajectory()) {
        if (event.path("kind").asString("").equals("exec.stdout")
            && event
                .path("data")
                .path("exec")
                .asString("")
                .equals(ran.json().path("id").asString(""))) {
          recorded.append(event.path("data").path("data").asString("?"));
        }
      }
      assertThat(recorded.toString()).isEqualTo(ran.stdout());
    }
  }

  @Test
  void f4BytesThatAreNoTextComeBackExactly() {
    try (Box box = api.create()) {
      Ran ran = box.sh("printf 'ok\\377\\376\\n'");
      assertThat(ran.ending()).isEqualTo("exited 0");
      assertThat(ran.stdout()).isEqualTo("ok\ufffd\ufffd\n");
      assertThat(ran.stdoutBytes().toArray()).containsExactly(0x6f, 0x6b, 0xff, 0xfe, 0x0a);
    }
  }

  @Test
  void f5TheLastOutputIsNeverLost() throws Exception {
    String script = "head -c 65536 /dev/zero | tr '\\0' y; printf END";
    try (Box box = api.create(Map.of("resources", Map.of("cpu", 2, "pids", 512)));
        Box busy = api.create(Map.of("resources", Map.of("cpu", 2)));
        ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Ran> load =
          pool.submit(() -> busy.sh("while :; do :; done & while :; do :; done", "25s"));
      List<Callable<Ran>> calls = new ArrayList<>();
      for (int i = 0; i < 500; i++) {
        calls.add(() -> box.sh(script));
      }
      for (int from = 0; from < calls.size(); from += 10) {
        for (Future<Ran> ran : pool.invokeAll(calls.subList(from, from + 10))) {
          assertThat(ran.get().stdout()).hasSize(65_539).endsWith("yEND");
        }
      }
      List<JsonNode> lines = box.stream(Map.of("argv", List.of("sh", "-c", script)));
      assertThat(lines.getFirst().has("start")).isTrue();
      assertThat(lines.getLast().path("end").path("ending").path("kind").asString(""))
          .isEqualTo("exited");
      assertThat(joined(lines, "stdout").length()).isEqualTo(65_539);
      busy.root("kill -9 -1");
      assertThat(load.get().ending()).isEqualTo("signaled 9");
    }
  }

  @Test
  void f7NoStdinMeansEndOfFileAtOnce() {
    try (Box box = api.create()) {
      assertThat(box.run(Map.of("argv", List.of("cat"), "timeout", "5s")).ending())
          .isEqualTo("exited 0");
      assertThat(box.sh("read x; echo got=$x").stdout()).isEqualTo("got=\n");
      Ran given = box.run(Map.of("argv", List.of("cat"), "stdin", "h\u00e9llo"));
      assertThat(given.stdout()).isEqualTo("h\u00e9llo");
      Ran ignored = box.run(Map.of("argv", List.of("true"), "stdin", "x".repeat(1_000_000)));
      assertThat(ignored.ending()).isEqualTo("exited 0");
      Ran big = box.run(Map.of("argv", List.of("wc", "-c"), "stdin", "x".repeat(3_000_000)));
      assertThat(big.stdout().strip()).isEqualTo("3000000");
    }
  }

  @Test
  void f8OutputBeforeATimeoutIsKept() {
    try (Box box = api.create()) {
      Ran ran = box.sh("echo before; echo err >&2; sleep 60", "1s");
      assertThat(ran.kind()).isEqualTo("timeout");
      assertThat(ran.isFault()).isFalse();
      assertThat(ran.stdout()).isEqualTo("before\n");
      assertThat(ran.stderr()).isEqualTo("err\n");
      assertThat(ran.seconds()).isBetween(0.9, 2.5);
      assertThat(box.trajectory())
          .anyMatch(
              e ->
                  e.path("kind").asString("").equals("exec.stdout")
                      && e.path("data").path("data").asString("").equals("before\n"))
          .anyMatch(e -> e.path("kind").asString("").equals("exec.end"));
    }
  }

  @Test
  void f9FiveBadEndingsAreFiveDifferentEndings() {
    try (Box box = api.create(Map.of("resources", Map.of("memory", "128Mi")))) {
      assertThat(box.sh("exit 124").ending()).isEqualTo("exited 124");
      assertThat(box.sh("exit 137").ending()).isEqualTo("exited 137");
      assertThat(box.sh("kill -9 $$").ending()).isEqualTo("signaled 9");
      assertThat(box.sh("sleep 60", "1s").ending()).isEqualTo("timeout");
      assertThat(box.exec("perl", "-e", "$x = 'a' x (400 << 20)").ending()).isEqualTo("oom");
    }
  }

  @Test
  void f10FloodsOfOutputAreBoundedAndSaidSo() throws Exception {
    try (Box box = api.create(Map.of("resources", Map.of("cpu", 2)));
        ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Ran>> floods = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        floods.add(pool.submit(() -> box.sh("timeout 5 yes | head -c 2000000000")));
      }
      for (Future<Ran> flood : floods) {
        Ran ran = flood.get();
        assertThat(ran.truncated()).isTrue();
        assertThat(ran.limits()).contains("output");
        assertThat(ran.stdoutTotal()).isGreaterThan(10 << 20);
        assertThat(ran.stdout().length()).isLessThanOrEqualTo(10 << 20);
      }
      Ran capped =
          box.run(
              Map.of(
                  "argv",
                  List.of("sh", "-c", "seq 1 1000000; echo done >&2; exit 3"),
                  "max_output",
                  "64Ki"));
      assertThat(capped.ending()).isEqualTo("exited 3");
      assertThat(capped.stderr()).isEqualTo("done\n");
      assertThat(capped.stdout())
          .startsWith("1\n2\n")
          .endsWith("999999\n1000000\n")
          .hasSize(64 << 10);
    }
  }

  @Test
  void f26AMissingDirectoryIsNotAMissingProgram() {
    try (Box box = api.create()) {
      box.root("mkdir -p /shut /gone; chmod 700 /shut; touch /file");
      assertThat(refusal(box, "/nope", "pwd")).isEqualTo("bad_cwd");
      assertThat(refusal(box, "/file", "pwd")).isEqualTo("bad_cwd");
      assertThat(refusal(box, "relative", "pwd")).isEqualTo("bad_cwd");
      assertThat(refusal(box, "/shut", "pwd")).isEqualTo("bad_cwd");
      box.root("rmdir /gone");
      assertThat(refusal(box, "/gone", "pwd")).isEqualTo("bad_cwd");
      assertThat(refusal(box, "/", "nosuchbin")).isEqualTo("program_not_found");
      assertThat(refusal(box, "/", "/etc/passwd")).isEqualTo("not_executable");
      assertThat(refusal(box, "/", "/tmp")).isEqualTo("not_executable");
      Api.Reply user = box.tryRun(Map.of("argv", List.of("true"), "user", "nosuch"));
      assertThat(user.code()).isEqualTo("bad_user");
      assertThat(user.status()).isEqualTo(422);
    }
  }

  private static String refusal(Box box, String cwd, String program) {
    Api.Reply reply = box.tryRun(Map.of("argv", List.of(program), "cwd", cwd));
    assertThat(reply.status()).as(reply.text()).isEqualTo(422);
    return reply.code();
  }

  @Test
  void f29InitReapsAndNeverStealsAStatus() throws Exception {
    String zombies =
        "for i in $(seq 300); do (sleep 0.01 &); done; sleep 2; grep -l '^State:.*Z' /proc/[0-9]*/status | wc -l; true";
    try (Box box = api.create(Map.of("resources", Map.of("pids", 2048, "cpu", 2)));
        ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Ran>> herds = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        herds.add(pool.submit(() -> box.sh(zombies)));
      }
      for (int i = 0; i < 200; i++) {
        assertThat(box.sh("exit 9").ending()).isEqualTo("exited 9");
      }
      for (Future<Ran> herd : herds) {
        assertThat(herd.get().ending()).isEqualTo("exited 0");
      }
      assertThat(box.sh(zombies).stdout().strip()).isEqualTo("0");
      box.root("kill -9 1");
      assertThat(box.exec("echo", "alive").stdout()).isEqualTo("alive\n");
    }
  }

  @Test
  void f45InitOutlivesAnyHungerForMemory() throws Exception {
    try (Box box = api.create(Map.of("resources", Map.of("cpu", 1, "memory", "256Mi")));
        ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Ran> hungry =
          pool.submit(
              () ->
                  box.run(
                      Map.of(
                          "argv",
                          List.of(
                              "perl",
                              "-e",
                              "for (1..64) { if (!fork) { my $x = 'a' x (30 << 20); sleep 60; exit } } sleep 60"),
                          "timeout",
                          "20s")));
      while (!hungry.isDone()) {
        assertThat(box.exec("true").kind()).isIn("exited", "oom");
        assertThat(box.state()).isEqualTo("running");
      }
      assertThat(hungry.get().kind()).isEqualTo("oom");
      assertThat(box.exec("echo", "alive").stdout()).isEqualTo("alive\n");
    }
  }

  @Test
  void f51TimeoutsFireOnABusyNode() throws Exception {
    try (Box busy = api.create(Map.of("resources", Map.of("cpu", 2)));
        Box box = api.create();
        ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Ran> load =
          pool.submit(
              () ->
                  busy.sh("for i in 1 2 3 4 5 6 7 8; do while :; do :; done & done; wait", "15s"));
      List<Future<Ran>> sleeps = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        sleeps.add(
            pool.submit(() -> box.run(Map.of("argv", List.of("sleep", "30"), "timeout", "1s"))));
      }
      for (Future<Ran> sleep : sleeps) {
        assertThat(sleep.get().kind()).isEqualTo("timeout");
        assertThat(sleep.get().seconds()).isLessThan(2.5);
      }
      long start = System.nanoTime();
      Ran stopped = box.sh("kill -STOP 0; sleep 30", "2s");
      assertThat(stopped.kind()).isEqualTo("timeout");
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(4));
      assertThat(box.exec("echo", "usable").stdout()).isEqualTo("usable\n");
      busy.root("kill -9 -1");
      assertThat(load.get().ending()).isEqualTo("signaled 9");
    }
  }

  @Test
  void bothFormsOfAStreamCarryTheSameBytes() {
    List<String> argv = List.of("sh", "-c", "seq 1 1000 >&2; seq 1 500000; printf '\\377\\000'");
    try (Box box = api.create();
        DsecClient client = api.client()) {
      Map<ExecListener.Stream, ByteArrayOutputStream> binary =
          Map.of(
              ExecListener.Stream.STDOUT, new ByteArrayOutputStream(),
              ExecListener.Stream.STDERR, new ByteArrayOutputStream());
      ExecListener listener =
          new ExecListener() {
            @Override
            public void started(String id) {}

            @Override
            public void output(Stream stream, long offset, ByteBuffer data) {
              ByteArrayOutputStream to = binary.getOrDefault(stream, new ByteArrayOutputStream());
              assertThat(offset).isEqualTo(to.size());
              byte[] copy = new byte[data.remaining()];
              data.get(copy);
              to.writeBytes(copy);
            }
          };
      ExecResult result =
          client.sandboxes().exec(new SandboxId(box.id()), ExecSpec.of(argv), listener);
      assertThat(result.ending()).isEqualTo(new Ending.Exited(0));
      assertThat(result.stdoutBytes()).isEqualTo(3_388_897);
      List<JsonNode> lines = box.stream(Map.of("argv", argv));
      binary.forEach(
          (stream, bytes) ->
              assertThat(Bytes.wrap(bytes.toByteArray()))
                  .isEqualTo(joined(lines, io.dsec.link.Json.lower(stream))));
    }
  }

  @Test
  void aStalledReaderSlowsNothingElse() throws Exception {
    try (Box box = api.create(Map.of("resources", Map.of("cpu", 2)));
        var stalled =
            api.open(
                "/v1/sandboxes/" + box.id() + "/exec",
                Map.of("argv", List.of("sh", "-c", "yes"), "timeout", "5s"))) {
      assertThat(stalled.read()).isEqualTo('{');
      for (int i = 0; i < 20; i++) {
        assertThat(box.exec("echo", "quick").seconds()).isLessThan(1);
      }
    }
  }

  /** The bytes of one stream out of an NDJSON reply, their offsets checked. */
  private static Bytes joined(List<JsonNode> lines, String stream) {
    var out = new ByteArrayOutputStream();
    for (JsonNode line : lines) {
      if (line.has(stream)) {
        assertThat(line.path("offset").asLong(-1)).isEqualTo(out.size());
        out.writeBytes(Bytes.base64(line.path(stream).asString("")).toArray());
      }
    }
    return Bytes.wrap(out.toByteArray());
  }
}
