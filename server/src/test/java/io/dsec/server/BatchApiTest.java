// SPDX-License-Identifier: Apache-2.0
package io.dsec.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dsec.link.Placement;
import io.dsec.model.Bytes;
import io.dsec.model.Ending;
import io.dsec.model.Reason;
import io.dsec.model.SandboxId;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

final class BatchApiTest {
  @TempDir Path data;
  private Rig rig;

  @BeforeEach
  void start() {
    rig = new Rig(data, c -> c, 16, true);
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private static String batch(String more, String tasks) {
    return "{\"name\":\"b\",\"image\":\"host\",\"pacing\":\"adaptive\"%s,\"tasks\":[%s]}"
        .formatted(more, tasks);
  }

  private String submit(String body) {
    Rig.Reply reply = rig.post("/v1/batches", body);
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
    return reply.at("/id");
  }

  private JsonNode finished(String id) {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> !rig.get("/v1/batches/" + id).json().at("/ended_at").isNull());
    return rig.get("/v1/batches/" + id).json();
  }

  @Test
  void everyTaskEndsOnceWithItsResult() {
    String tasks =
        IntStream.range(0, 300)
            .mapToObj(i -> "{\"id\":\"t%d\",\"command\":[\"true\"]}".formatted(i))
            .collect(Collectors.joining(","));
    String id = submit(batch("", tasks));
    JsonNode done = finished(id);
    assertThat(done.at("/state").asString()).isEqualTo("finished");
    assertThat(done.at("/succeeded").asInt()).isEqualTo(300);
    String[] results = rig.get("/v1/batches/" + id + "/results").text().split("\n");
    assertThat(results).hasSize(300);
    Set<String> ids = new HashSet<>();
    for (String line : results) {
      JsonNode result = io.dsec.link.Json.mapper().readTree(line);
      ids.add(result.at("/id").asString());
      assertThat(result.at("/stdout").asString()).isEqualTo("done\n");
      assertThat(result.at("/attempt").asInt()).isEqualTo(1);
      assertThat(result.at("/trajectory").asString()).contains("sb-");
    }
    assertThat(ids).hasSize(300);
    await().until(() -> rig.node.boxes.isEmpty());
    assertThat(
            rig.get("/v1/sandboxes?label=batch=" + id + "&limit=1000")
                .json()
                .at("/sandboxes")
                .size())
        .isEqualTo(300);
  }

  @Test
  void tasksAndBatchesAreListedInPages() {
    String a = submit(batch("", "{\"command\":[\"true\"]},{\"command\":[\"true\"]}"));
    String b = submit(batch("", "{\"command\":[\"true\"]}"));
    JsonNode _ = finished(a);
    JsonNode _ = finished(b);
    Rig.Reply first = rig.get("/v1/batches?limit=1");
    assertThat(first.at("/batches/0/id")).isEqualTo(b);
    Rig.Reply second = rig.get("/v1/batches?limit=1&cursor=" + first.at("/next_cursor"));
    assertThat(second.at("/batches/0/id")).isEqualTo(a);
    assertThat(second.json().at("/next_cursor").isNull()).isTrue();

    Rig.Reply tasks = rig.get("/v1/tasks?batch=" + a + "&limit=1&state=ended");
    assertThat(tasks.json().at("/tasks/0/index").asInt()).isZero();
    assertThat(tasks.at("/tasks/0/ending/kind")).isEqualTo("exited");
    Rig.Reply rest = rig.get("/v1/tasks?batch=" + a + "&cursor=" + tasks.at("/next_cursor"));
    assertThat(rest.json().at("/tasks").size()).isEqualTo(1);
    assertThat(rest.json().at("/tasks/0/index").asInt()).isEqualTo(1);
    assertThat(rig.get("/v1/tasks?batch=" + a + "&state=pending").json().at("/tasks").size())
        .isZero();
    assertThat(rig.get("/v1/tasks?batch=b-aaaaaaaaaaaaaaaa").status()).isEqualTo(404);

    String task = "{\"image\":\"host\",\"command\":[\"true\"],\"wait\":true}";
    String older = rig.post("/v1/tasks", task).at("/id");
    String newer = rig.post("/v1/tasks", task).at("/id");
    Rig.Reply own = rig.get("/v1/tasks?limit=1&state=ended");
    assertThat(own.at("/tasks/0/id")).isEqualTo(newer);
    assertThat(own.at("/tasks/0/state")).isEqualTo("ended");
    assertThat(rig.get("/v1/tasks?cursor=" + own.at("/next_cursor")).at("/tasks/0/id"))
        .isEqualTo(older);
    assertThat(rig.get("/v1/tasks?state=open").json().at("/tasks").size()).isZero();
    assertThat(rig.get("/v1/tasks?state=lost").at("/error/field")).isEqualTo("state");
  }

  @Test
  void aFailedDependencyKeepsWhatWaitsForItFromStarting() {
    rig.node.onMain =
        p ->
            Optional.of(
                FakeNode.exited("bad".equals(p.spec().labels().get("task")) ? 1 : 0, "out"));
    String id =
        submit(
            batch(
                "",
                "{\"id\":\"end\",\"command\":[\"true\"],\"after\":[\"mid\",\"ok\"]},"
                    + "{\"id\":\"mid\",\"command\":[\"true\"],\"after\":[\"bad\"]},"
                    + "{\"id\":\"ok\",\"command\":[\"true\"]},{\"id\":\"bad\",\"command\":[\"true\"]}"));
    JsonNode done = finished(id);
    assertThat(done.at("/endings/not_started").asInt()).isEqualTo(2);
    assertThat(done.at("/endings/exited").asInt()).isEqualTo(2);
    assertThat(done.at("/faults").asInt()).isZero();
    assertThat(rig.node.placements).hasSize(2);
  }

  @Test
  void onlyFaultsOfThePlatformAreRetried() {
    Set<String> seen = ConcurrentHashMap.newKeySet();
    rig.node.onMain =
        p -> {
          String task = String.valueOf(p.spec().labels().get("task"));
          if (task.equals("lost-once") && seen.add(task)) {
            return Optional.of(FakeNode.result(new Ending.Lost(Reason.INIT_DIED), Bytes.EMPTY));
          }
          if (task.equals("always-lost")) {
            return Optional.of(FakeNode.result(new Ending.Lost(Reason.INIT_DIED), Bytes.EMPTY));
          }
          return Optional.of(FakeNode.exited(task.equals("wrong") ? 7 : 0, ""));
        };
    String id =
        submit(
            batch(
                ",\"defaults\":{\"retries\":{\"on\":[\"lost\"],\"max\":2}}",
                "{\"id\":\"lost-once\",\"command\":[\"x\"]},{\"id\":\"always-lost\",\"command\":[\"x\"]},"
                    + "{\"id\":\"wrong\",\"command\":[\"x\"]}"));
    JsonNode done = finished(id);
    assertThat(done.at("/succeeded").asInt()).isEqualTo(1);
    assertThat(done.at("/faults").asInt()).isEqualTo(1);
    assertThat(done.at("/retried").asInt()).isEqualTo(3);
    assertThat(rig.node.placements.stream().map(Placement::attempt).sorted())
        .containsExactly(1, 1, 1, 2, 2, 3);
  }

  @Test
  void cancelLeavesNothingRunning() {
    rig.node.onMain = _ -> Optional.empty();
    String tasks =
        IntStream.range(0, 100)
            .mapToObj(i -> "{\"id\":\"t%d\",\"command\":[\"sleep\"]}".formatted(i))
            .collect(Collectors.joining(","));
    String id = submit(batch("", tasks));
    await().until(() -> rig.node.boxes.size() == 16);
    assertThat(rig.delete("/v1/batches/" + id + "?grace=0s").status()).isIn(200, 202);
    JsonNode done = finished(id);
    assertThat(done.at("/state").asString()).isEqualTo("cancelled");
    assertThat(done.at("/states/ended").asInt()).isEqualTo(100);
    await().until(() -> rig.node.boxes.isEmpty());
    assertThat(rig.get("/v1/sandboxes?state=running").json().at("/sandboxes").size()).isZero();
  }

  @Test
  void aRestartInTheMiddleEndsEachTaskOnce() {
    AtomicInteger n = new AtomicInteger();
    rig.node.onMain =
        _ -> n.getAndIncrement() < 40 ? Optional.of(FakeNode.exited(0, "")) : Optional.empty();
    String tasks =
        IntStream.range(0, 60)
            .mapToObj(i -> "{\"id\":\"t%d\",\"command\":[\"x\"]}".formatted(i))
            .collect(Collectors.joining(","));
    String id = submit(batch(",\"defaults\":{\"retries\":{\"on\":[\"lost\"],\"max\":1}}", tasks));
    await().until(() -> rig.node.placements.size() >= 56 && rig.node.boxes.size() == 16);
    rig.server().close();
    // while the server is away: five end, three vanish with their records
    int i = 0;
    for (SandboxId box : Set.copyOf(rig.node.boxes.keySet())) {
      if (i < 5) {
        rig.node.finish(box, FakeNode.exited(0, "late"));
      } else if (i < 8) {
        rig.node.boxes.remove(box);
      }
      i++;
    }
    rig.node.onMain = _ -> Optional.of(FakeNode.exited(0, ""));
    rig.restart();
    for (SandboxId box : Set.copyOf(rig.node.boxes.keySet())) {
      rig.node.finish(box, FakeNode.exited(0, "after"));
    }
    JsonNode done = finished(id);
    assertThat(done.at("/succeeded").asInt()).as(done.toString()).isEqualTo(60);
    assertThat(done.at("/retried").asInt()).isEqualTo(3);
    assertThat(rig.get("/v1/batches/" + id + "/results").text().lines()).hasSize(60);
    await().until(() -> rig.node.boxes.isEmpty());
  }

  @Test
  void progressComesAsEventsAndGoesOnAfterTheLastSeen() {
    String id =
        submit(batch("", "{\"id\":\"a\",\"command\":[\"x\"]},{\"id\":\"b\",\"command\":[\"x\"]}"));
    JsonNode _ = finished(id);
    String all = rig.get("/v1/batches/" + id + "/events").text();
    assertThat(all).contains("id: 1\nevent: task\n").contains("id: 2\n").contains("event: end\n");
    String rest =
        rig.send(rig.request("/v1/batches/" + id + "/events").header("Last-Event-ID", "1")).text();
    assertThat(rest).doesNotContain("id: 1\n").contains("id: 2\n").contains("event: end\n");
  }

  @Test
  void faultsOfTheDocumentNameTheTask() {
    record Case(String body, String field, String message) {}
    for (Case c :
        new Case[] {
          new Case(
              batch(
                  "",
                  "{\"id\":\"a\",\"command\":[\"x\"],\"after\":[\"b\"]},"
                      + "{\"id\":\"b\",\"command\":[\"x\"],\"after\":[\"a\"]}"),
              "tasks",
              "circle"),
          new Case(
              batch("", "{\"id\":\"a\",\"command\":[\"x\"],\"after\":[\"z\"]}"), "tasks", "\"z\""),
          new Case(
              batch("", "{\"id\":\"a\",\"command\":[\"x\"]},{\"id\":\"a\",\"command\":[\"x\"]}"),
              "tasks",
              "two tasks"),
          new Case(
              batch("", "{\"id\":\"a\",\"command\":[\"x\"],\"foo\":1}"), "tasks[0].foo", "foo"),
          new Case(batch("", "{\"id\":\"a\",\"command\":[]}"), "tasks[0].argv", "empty"),
          new Case(batch(",\"bar\":1", "{\"id\":\"a\",\"command\":[\"x\"]}"), "bar", "bar"),
          new Case(batch(",\"wave_size\":0", "{\"command\":[\"x\"]}"), "wave_size", "wave_size"),
          new Case("{\"image\":\"host\",\"tasks\":[]}", "tasks", "empty"),
          new Case("{\"image\":\"host\"}", "tasks", "missing"),
          new Case("{\"image\":\"host\",\"tasks_from\":{}}", "tasks_from", "client"),
        }) {
      Rig.Reply reply = rig.post("/v1/batches", c.body());
      assertThat(reply.status()).as(c.body() + reply.text()).isEqualTo(400);
      assertThat(reply.at("/error/field")).isEqualTo(c.field());
      assertThat(reply.at("/error/message")).contains(c.message());
    }
  }
}
