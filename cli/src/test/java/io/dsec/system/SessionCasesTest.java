// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** Shell sessions through the public HTTP surface (cases F24, F55). */
@ExtendWith(SharedDsec.class)
class SessionCasesTest {
  private final Api api;
  private final Box box;

  SessionCasesTest(DsecProcess dsec) {
    this.api = dsec.api();
    this.box = api.create(Map.of("resources", Map.of("memory", "256Mi")));
  }

  @AfterEach
  void remove() {
    box.close();
  }

  private String base() {
    return "/v1/sandboxes/" + box.id() + "/sessions";
  }

  private String open(Map<String, ?> body) {
    Api.Reply reply = api.post(base(), body);
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
    return reply.json().path("id").asString("");
  }

  private String open() {
    return open(Map.of());
  }

  private Api.Reply tryRun(String session, String command, String timeout) {
    return api.post(
        base() + "/" + session + "/run",
        new TreeMap<>(Map.of("command", command, "timeout", timeout)));
  }

  private Ran run(String session, String command) {
    return run(session, command, "20s");
  }

  private Ran run(String session, String command, String timeout) {
    Api.Reply reply = tryRun(session, command, timeout);
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    return new Ran(reply.json());
  }

  private JsonNode show(String session) {
    return api.get(base() + "/" + session).json();
  }

  private void awaitState(String session, String state) {
    await()
        .atMost(10, TimeUnit.SECONDS)
        .pollInterval(Duration.ofMillis(10))
        .until(() -> show(session).path("state").asString("").equals(state));
  }

  @Test
  void f24_textIsWhatItIs() {
    String s = open();
    assertThat(run(s, "cat <<'EOF'\nl1\n$HOME\nEOF").stdout()).isEqualTo("l1\n$HOME\n");
    for (String broken : List.of("echo 'open", "cat <<EOF\nno end", "if true; then")) {
      Ran ran = run(s, broken, "5s");
      assertThat(ran.kind()).as(broken).isEqualTo("exited");
      assertThat(ran.code()).as(broken).isEqualTo(2);
      assertThat(ran.stderr()).as(broken).containsAnyOf("syntax error", "unexpected EOF");
    }
    assertThat(run(s, "echo a # comment").stdout()).isEqualTo("a\n");
    assertThat(run(s, "echo z").stdout()).isEqualTo("z\n");
    assertThat(run(s, "echo one\necho two &&\\\necho three; :\n\n").stdout())
        .isEqualTo("one\ntwo\nthree\n");
    String long300k = "x=" + "y".repeat(300_000) + "; echo ${#x}";
    assertThat(run(s, long300k).stdout()).isEqualTo("300000\n");
  }

  @Test
  void stateStaysAndEachRunHasItsOwnEndingAndOutput() {
    String s = open(Map.of("cwd", "/tmp", "env", Map.of("GIVEN", "g"), "user", "root"));
    run(
        s,
        "mkdir d; cd d; plain=p; export out=o; f() { echo f-$1; }; shopt -s nullglob; umask 027");
    Ran all = run(s, "pwd; f $plain; env | grep -c ^out=; echo *.none; umask; id -u; echo $GIVEN");
    assertThat(all.stdout()).isEqualTo("/tmp/d\nf-p\n1\n\n0027\n0\ng\n");
    Ran apart = run(s, "echo o; echo e >&2; (exit 7)");
    assertThat(apart.stdout()).isEqualTo("o\n");
    assertThat(apart.stderr()).isEqualTo("e\n");
    assertThat(apart.code()).isEqualTo(7);
    assertThat(run(s, "echo $?").stdout()).isEqualTo("7\n");
    JsonNode listed = api.get(base()).json().path("sessions").path(0);
    assertThat(listed.path("id").asString("")).isEqualTo(s);
    assertThat(listed.path("state").asString("")).isEqualTo("idle");
    List<JsonNode> lines =
        api.stream(base() + "/" + s + "/run", Map.of("command", "echo streamed; false"));
    assertThat(lines.getFirst().has("start")).isTrue();
    assertThat(lines.getLast().path("end").path("ending").path("code").asInt(-1)).isEqualTo(1);
    assertThat(run(s, "seq 1 100000; echo end >&2").json().path("stdout_bytes").asLong(0))
        .isEqualTo(588_895);
  }

  @Test
  void f55_nothingWaitsForATerminalOrAPager() {
    String s = open();
    run(
        s,
        "mkdir -p /tmp/r; cd /tmp/r; git init -q; git config user.email a@b; git config user.name n; "
            + "for i in $(seq 500); do echo \"commit refs/heads/m\ncommitter n <a@b> $i +0000\ndata 2\nc\n\"; "
            + "done | git fast-import --quiet; git symbolic-ref HEAD refs/heads/m",
        "60s");
    Ran log = run(s, "git log | grep -c ^commit");
    assertThat(log.stdout()).isEqualTo("500\n");
    assertThat(run(s, "git log").stdout().lines().filter(l -> l.startsWith("commit")).count())
        .isEqualTo(500);
    assertThat(run(s, "echo next").stdout()).isEqualTo("next\n");
    for (String asks : List.of("python3", "ssh-keygen", "apt-get install x", "cat", "read x")) {
      Ran ran = run(s, asks, "10s");
      assertThat(ran.kind()).as(asks + ran.json()).isEqualTo("exited");
    }
    assertThat(run(s, "echo $PAGER $GIT_PAGER $DEBIAN_FRONTEND $TERM").stdout())
        .isEqualTo("cat cat noninteractive dumb\n");
  }

  @Test
  void f55_aBusySessionRefusesAndCanBeInterrupted() throws Exception {
    String s = open();
    run(s, "kept=yes");
    for (String hangs :
        List.of("sleep 100; echo never", "while :; do :; done", "tail -f /dev/null")) {
      CompletableFuture<Ran> running = CompletableFuture.supplyAsync(() -> run(s, hangs, "60s"));
      awaitState(s, "busy");
      assertThat(show(s).path("run").path("command").asString("")).isEqualTo(hangs);
      Api.Reply busy = tryRun(s, "echo second", "5s");
      assertThat(busy.code()).isEqualTo("conflict");
      assertThat(busy.message()).contains(show(s).path("run").path("id").asString("?"));
      await()
          .atMost(10, TimeUnit.SECONDS)
          .pollInterval(Duration.ofMillis(200)) // one that comes before the command is lost on it
          .until(
              () -> api.post(base() + "/" + s + "/interrupt", Map.of()).code().equals("conflict"));
      assertThat(running.get().code()).as(hangs).isEqualTo(130);
      assertThat(run(s, "echo $kept").stdout()).isEqualTo("yes\n");
    }
    assertThat(api.post(base() + "/" + s + "/interrupt", Map.of()).code()).isEqualTo("conflict");
  }

  @Test
  void aTimeLimitSparesTheShellWhereItCan() {
    String s = open();
    run(s, "kept=yes");
    for (String hangs :
        List.of("echo before; sleep 100", "echo before; while :; do sleep 0.2; done")) {
      Ran ran = run(s, hangs, "500ms");
      assertThat(ran.kind()).isEqualTo("timeout");
      assertThat(ran.stdout()).isEqualTo("before\n");
      assertThat(ran.json().path("duration_seconds").asDouble(9)).isLessThan(2);
      assertThat(run(s, "echo $kept; pgrep -x sleep || echo none").stdout())
          .isEqualTo("yes\nnone\n");
    }
    assertThat(run(s, "trap '' INT; while :; do :; done", "500ms").kind()).isEqualTo("timeout");
    awaitState(s, "ended");
    Api.Reply after = tryRun(s, "true", "5s");
    assertThat(after.code()).isEqualTo("gone");
  }

  @Test
  void whatEndsTheShellIsTheEndingOfItsRun() {
    Map<String, String> ends =
        Map.of(
            "echo bye; exit 3", "exited 3 bye\n",
            "exec sh -c 'echo me; exit 7'", "exited 7 me\n",
            "echo x; kill -9 $$", "signaled 9 x\n");
    ends.forEach(
        (command, expected) -> {
          String s = open();
          Ran ran = run(s, command);
          JsonNode ending = ran.json().path("ending");
          int number = ending.path("code").asInt(0) + ending.path("signal").asInt(0);
          assertThat(ran.kind() + " " + number + " " + ran.stdout()).isEqualTo(expected);
          awaitState(s, "ended");
          assertThat(tryRun(s, "true", "5s").code()).isEqualTo("gone");
        });
    assertThat(tryRun("s-999", "true", "5s").code()).isEqualTo("not_found");
    assertThat(api.delete(base() + "/s-999").status()).isEqualTo(204);
    assertThat(api.post(base() + "/" + open() + "/run", Map.of()).field()).isEqualTo("command");
  }

  @Test
  void lateOutputIsThatOfTheRunThatLeftIt() {
    String s = open();
    Ran first = run(s, "(until test -e /tmp/go; do sleep 0.02; done; echo late) & echo started");
    assertThat(first.stdout()).isEqualTo("started\n");
    assertThat(first.stderr()).isEmpty();
    assertThat(run(s, "touch /tmp/go; wait; echo second").stdout()).isEqualTo("second\n");
    String output =
        "/v1/sandboxes/"
            + box.id()
            + "/processes/"
            + first.json().path("id").asString("")
            + "/output";
    await()
        .atMost(10, TimeUnit.SECONDS)
        .until(() -> api.get(output).text().equals("started\nlate\n"));
  }

  @Test
  void anOutOfMemoryKillEndsTheRunNotTheShell() {
    String s = open();
    run(s, "kept=yes");
    Ran ran = run(s, "python3 -c 'b = bytearray(1 << 30)'; echo survived; sleep 50", "30s");
    assertThat(ran.kind()).isEqualTo("oom");
    assertThat(run(s, "echo $kept").stdout()).isEqualTo("yes\n");
  }

  @Test
  void aDeletedSessionTakesWhatRunsInItAlong() throws Exception {
    String s = open();
    CompletableFuture<Ran> running =
        CompletableFuture.supplyAsync(() -> run(s, "sleep 100", "60s"));
    awaitState(s, "busy");
    assertThat(api.delete(base() + "/" + s).status()).isEqualTo(204);
    assertThat(running.get().kind()).isIn("killed", "signaled");
    await()
        .atMost(10, TimeUnit.SECONDS)
        .until(() -> box.sh("pgrep -x 'sleep|bash' || echo none").stdout().equals("none\n"));
    assertThat(api.get(base() + "/" + s).code()).isEqualTo("not_found");
    try (var client = api.client()) {
      var sessions = client.sandboxes().sessions(new io.dsec.model.SandboxId(box.id()));
      String id = sessions.create(Map.of("shell", "/bin/sh")).id();
      assertThat(sessions.run(id, "echo client", Optional.empty()).stdout().lossyText())
          .isEqualTo("client\n");
      assertThat(sessions.list()).hasSize(1);
      sessions.remove(id);
    }
  }
}
