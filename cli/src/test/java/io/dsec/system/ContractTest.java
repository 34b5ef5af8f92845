// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.system.Contract.Call;
import java.net.http.HttpClient;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/**
 * Every operation that `/openapi.json` describes is called on a real server, and both directions
 * are held to the description: what it does not describe is a failure, and so is an operation that
 * this test does not call.
 */
@ExtendWith(SharedDsec.class)
class ContractTest {
  private static final Call PLAIN = Call.PLAIN;
  private static final String LINES = "application/x-ndjson";
  private static final String BOX = "/v1/sandboxes/{id}";
  private static final String PROCESS = BOX + "/processes/{process}";

  private final DsecProcess dsec;
  private final Contract contract;

  ContractTest(DsecProcess dsec) {
    this.dsec = dsec;
    contract = new Contract(dsec, HttpClient.newHttpClient());
  }

  private JsonNode call(String operation, int status, Call call) throws Exception {
    return contract.call(operation, status, call);
  }

  @Test
  void everyOperationKeepsToItsDescription() throws Exception {
    system();
    keys();
    Call box = created();
    execs(box);
    processes(box);
    terminals(box);
    sessions(box);
    files(box);
    history(box);
    lives(box);
    removed(box);
    tasks();
    batches();
    assertThat(contract.called()).isEqualTo(contract.operations());
    assertThat(contract.drift()).isEmpty();
  }

  @Test
  void whatIsNotThereIsToldAsDescribed() throws Exception {
    Call nowhere = PLAIN.with("id", "sb-aaaaaaaaaaaaaaaa").with("process", "e-1");
    call("GET " + BOX, 404, nowhere);
    call("DELETE " + BOX, 404, nowhere);
    call("GET " + PROCESS, 404, nowhere);
    call("GET /v1/tasks/{id}", 404, nowhere);
    call("GET /v1/batches/{id}", 404, nowhere);
    call("POST /v1/sandboxes", 422, PLAIN.body(Map.of("image", "no-such-image")));
    assertThat(contract.drift()).isEmpty();
  }

  private void files(Call box) throws Exception {
    String files = BOX + "/files";
    call("PUT " + files, 200, box.query("path=/tmp/d/f&mode=0600").body("text".getBytes(UTF_8)));
    call("GET " + files, 200, box.query("path=/tmp/d/f"));
    call("GET " + files, 200, box.query("path=/tmp/d&stat=true"));
    call("HEAD " + files, 200, box.query("path=/tmp/d/f"));
    call("GET " + BOX + "/directory", 200, box.query("path=/tmp/d"));
    call("POST " + files + "/mkdir", 200, box.body(Map.of("path", "/tmp/d/e")));
    call("POST " + files + "/move", 200, box.body(Map.of("from", "/tmp/d/e", "to", "/tmp/d/g")));
    call("POST " + files + "/chmod", 204, box.body(Map.of("path", "/tmp/d/g", "mode", "700")));
    call("POST " + files + "/chown", 204, box.body(Map.of("path", "/tmp/d/g", "owner", "agent")));
    call("GET " + BOX + "/archive", 200, box.query("path=/tmp/d"));
    call("PUT " + BOX + "/archive", 200, box.query("path=/tmp/u").body(new byte[1024]));
    List<String> later = List.of("sh", "-c", "sleep 1; rm -r /tmp/u");
    call("POST " + BOX + "/processes", 201, box.body(Map.of("argv", later)));
    call("GET " + files + "/watch", 200, box.query("path=/tmp/u").accept(LINES));
    call("DELETE " + files, 204, box.query("path=/tmp/d&recursive=true"));
  }

  private void system() throws Exception {
    call("GET /healthz", 200, PLAIN);
    call("GET /readyz", 200, PLAIN);
    call("GET /metrics", 200, PLAIN);
    call("GET /openapi.json", 200, PLAIN);
  }

  private void keys() throws Exception {
    JsonNode key =
        call("POST /v1/keys", 201, PLAIN.body(Map.of("tenant", "contract", "role", "user")));
    call("GET /v1/keys", 200, PLAIN);
    call("DELETE /v1/keys/{id}", 204, PLAIN.with("id", key.path("id").asString("")));
  }

  private Call created() throws Exception {
    Map<String, ?> request =
        Map.of(
            "image",
            "host",
            "resources",
            Map.of("cpu", 1, "memory", "128Mi", "disk", "64Mi"),
            "env",
            Map.of("A", "b"),
            "labels",
            Map.of("contract", "yes"),
            "ttl",
            "5m",
            "wait",
            true,
            "wait_timeout",
            "60s");
    JsonNode box = call("POST /v1/sandboxes", 201, PLAIN.body(request));
    Call at = PLAIN.with("id", box.path("id").asString(""));
    call("GET " + BOX, 200, at);
    call("GET /v1/sandboxes", 200, PLAIN.query("label=contract=yes&limit=10"));
    call("POST " + BOX + "/renew", 200, at.body(Map.of("ttl", "10m")));
    return at;
  }

  private void execs(Call box) throws Exception {
    String exec = "POST " + BOX + "/exec";
    call(exec, 200, box.body(Map.of("argv", List.of("echo", "a"))));
    call(exec, 200, box.body(Map.of("shell", "printf \'\\377\'; echo b >&2; exit 3")));
    call(exec, 200, box.body(Map.of("argv", List.of("sleep", "9"), "timeout", 0.1)));
    call(exec, 200, box.body(Map.of("shell", "echo a; echo b >&2")).accept(LINES));
    call(exec, 200, box.body(Map.of("argv", List.of("true"))).accept("application/vnd.dsec.exec"));
    call(exec, 422, box.body(Map.of("argv", List.of("no-such-program"))));
  }

  private void processes(Call box) throws Exception {
    String all = BOX + "/processes";
    JsonNode cat =
        call("POST " + all, 201, box.body(Map.of("argv", List.of("cat"), "stdin_open", true)));
    Call process = box.with("process", cat.path("id").asString(""));
    call("GET " + all, 200, box);
    call("GET " + PROCESS, 200, process);
    call(
        "POST " + PROCESS + "/stdin",
        200,
        process.query("close=true").body("line\n".getBytes(UTF_8)));
    call("GET " + PROCESS + "/output", 200, process.query("follow=true").accept(LINES));
    call("GET " + PROCESS + "/output", 200, process.query("stream=stdout&offset=2"));
    JsonNode sleep = call("POST " + all, 201, box.body(Map.of("argv", List.of("sleep", "99"))));
    Call sleeping = box.with("process", sleep.path("id").asString(""));
    call("POST " + PROCESS + "/signal", 204, sleeping.body(Map.of("signal", "TERM")));
    call("DELETE " + PROCESS, 204, sleeping);
  }

  /**
   * A WebSocket is beyond the description: what is held to it is the refusal of a plain request.
   */
  private void terminals(Call box) throws Exception {
    call("GET " + BOX + "/terminal", 400, box);
    call("GET " + BOX + "/tunnel", 400, box.query("port=8000"));
    String open = "argv=sleep&argv=99&cols=80&rows=24";
    try (WebTerminal terminal =
        WebTerminal.open(dsec, requireNonNull(box.path().get("id")), open)) {
      Call process = box.with("process", terminal.id());
      call("POST " + PROCESS + "/resize", 204, process.body(Map.of("cols", 100, "rows", 30)));
      call("DELETE " + PROCESS, 204, process);
    }
  }

  private void sessions(Call box) throws Exception {
    String all = BOX + "/sessions";
    String one = all + "/{session}";
    call("POST " + all, 201, box);
    JsonNode opened = call("POST " + all, 201, box.body(Map.of("shell", "/bin/sh", "cwd", "/tmp")));
    Call session = box.with("session", opened.path("id").asString(""));
    call("POST " + one + "/run", 200, session.body(Map.of("command", "cd /; pwd", "timeout", 10)));
    call("POST " + one + "/run", 200, session.body(Map.of("command", "pwd")).accept(LINES));
    call("POST " + one + "/interrupt", 409, session);
    call("GET " + one, 200, session);
    call("GET " + all, 200, box);
    call("DELETE " + one, 204, session);
    call("GET " + one, 404, session);
  }

  private void history(Call box) throws Exception {
    call("GET " + BOX + "/events", 200, box);
    call("GET " + BOX + "/trajectory", 200, box);
  }

  private void lives(Call box) throws Exception {
    call("POST " + BOX + "/pause", 200, box);
    call("POST " + BOX + "/exec", 409, box.body(Map.of("argv", List.of("true"), "resume", false)));
    call("POST " + BOX + "/resume", 200, box);
    call(
        "POST " + BOX + "/fork",
        201,
        box.body(Map.of("count", 2, "labels", Map.of("contract", "yes"))));
    call(
        "POST /v1/sandboxes/bulk",
        201,
        PLAIN.body(Map.of("image", "host", "count", 2, "labels", Map.of("contract", "yes"))));
    call("GET /v1/nodes", 200, PLAIN);
  }

  private void removed(Call box) throws Exception {
    call("DELETE " + BOX, 204, box);
    call("GET " + BOX, 200, box);
    call("DELETE /v1/sandboxes", 200, PLAIN.query("label=contract=yes"));
  }

  private void tasks() throws Exception {
    Map<String, ?> request =
        Map.of(
            "image",
            "host",
            "command",
            List.of("cat", "/workspace/in"),
            "files",
            Map.of("/workspace/in", "x"),
            "timeout",
            "30s",
            "wait",
            true,
            "labels",
            Map.of("contract", "yes"));
    JsonNode task = call("POST /v1/tasks", 201, PLAIN.body(request));
    Call at = PLAIN.with("id", task.path("id").asString(""));
    call("GET /v1/tasks/{id}", 200, at);
    call("GET /v1/tasks", 200, PLAIN.query("limit=10"));
    call("DELETE /v1/tasks/{id}", 204, at);
    JsonNode long_ =
        call(
            "POST /v1/tasks",
            202,
            PLAIN.body(Map.of("image", "host", "command", List.of("sleep", "60"), "wait", false)));
    Call running = PLAIN.with("id", long_.path("id").asString(""));
    call("POST /v1/tasks/{id}/heartbeat", 204, running);
    call("DELETE /v1/tasks/{id}", 204, running);
  }

  private void batches() throws Exception {
    Map<String, ?> request =
        Map.of(
            "name",
            "contract-" + UUID.randomUUID(),
            "image",
            "host",
            "pacing",
            "adaptive",
            "tasks",
            List.of(
                Map.of("id", "a", "command", List.of("true")),
                Map.of("id", "b", "command", List.of("false"), "after", List.of("a"))));
    JsonNode batch = call("POST /v1/batches", 201, PLAIN.body(request));
    Call at = PLAIN.with("id", batch.path("id").asString(""));
    call("GET /v1/batches/{id}/events", 200, at);
    call("GET /v1/batches/{id}", 200, at);
    call("GET /v1/batches", 200, PLAIN);
    call("GET /v1/batches/{id}/results", 200, at);
    call("GET /v1/tasks", 200, PLAIN.query("batch=" + batch.path("id").asString("")));
    call("DELETE /v1/batches/{id}", 200, at);
  }
}
