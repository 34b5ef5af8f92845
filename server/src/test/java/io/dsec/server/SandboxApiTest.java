// SPDX-License-Identifier: Apache-2.0
package io.dsec.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dsec.model.Bytes;
import io.dsec.model.DsecException;
import io.dsec.model.Ending;
import io.dsec.model.ErrorCode;
import io.dsec.model.Reason;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SandboxApiTest {
  private static final String HOST = "{\"image\": \"host\"}";
  @TempDir Path data;
  private Rig rig;

  @BeforeEach
  void start() {
    rig = Rig.on(data);
  }

  @AfterEach
  void stop() {
    rig.close();
  }

  private String create() {
    Rig.Reply reply = rig.post("/v1/sandboxes", HOST);
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
    return reply.at("/id");
  }

  @Test
  void aCreateRepliesOnceItRuns() {
    Rig.Reply reply =
        rig.post(
            "/v1/sandboxes", "{\"image\":\"host\",\"labels\":{\"run\":\"r1\"},\"ttl\":\"5m\"}");
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
    assertThat(reply.at("/state")).isEqualTo("running");
    assertThat(reply.at("/node")).isEqualTo("n1");
    assertThat(reply.at("/tier")).isEqualTo("container");
    assertThat(reply.at("/image_digest")).isEqualTo("host");
    assertThat(reply.at("/labels/run")).isEqualTo("r1");
    assertThat(reply.json().at("/reason").isNull()).isTrue();
    assertThat(reply.json().at("/resources/memory").asLong()).isEqualTo(512L << 20);
    assertThat(reply.json().at("/resources/shm").asLong()).isEqualTo(256L << 20);
    assertThat(reply.json().at("/timings/prepared").asDouble()).isEqualTo(0.001);
    assertThat(reply.json().at("/timings/queued").isNumber()).isTrue();
    assertThat(rig.get("/v1/sandboxes/" + reply.at("/id")).at("/state")).isEqualTo("running");
  }

  /** The start does not wait for the commit, so it may be under way when that fails. */
  @Test
  void aCreateThatCannotBeStoredFailsAndLeavesNothing() throws SQLException {
    String url = "jdbc:sqlite:" + data.resolve("server.db");
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(
          "CREATE TRIGGER no BEFORE INSERT ON sandboxes BEGIN SELECT RAISE(ABORT, 'full'); END");
      assertThat(rig.post("/v1/sandboxes", HOST).status()).isEqualTo(500);
      await().until(rig.node.boxes::isEmpty);
      await().until(() -> rig.get("/v1/sandboxes").json().at("/sandboxes").isEmpty());
      statement.execute("DROP TRIGGER no");
    }
    assertThat(rig.get("/v1/sandboxes/" + create()).at("/state")).isEqualTo("running");
  }

  @Test
  void listsByLabelAndStateInPages() {
    for (int i = 0; i < 5; i++) {
      assertThat(
              rig.post(
                      "/v1/sandboxes",
                      "{\"image\":\"host\",\"labels\":{\"n\":\"%d\"}}".formatted(i % 2))
                  .status())
          .isEqualTo(201);
    }
    assertThat(rig.get("/v1/sandboxes?label=n=0").json().at("/sandboxes").size()).isEqualTo(3);
    Rig.Reply page = rig.get("/v1/sandboxes?limit=2&state=running");
    assertThat(page.json().at("/sandboxes").size()).isEqualTo(2);
    Rig.Reply rest =
        rig.get("/v1/sandboxes?limit=3&state=running&cursor=" + page.at("/next_cursor"));
    assertThat(rest.json().at("/sandboxes").size()).isEqualTo(3);
    assertThat(rest.json().at("/next_cursor").isNull()).isTrue();
    assertThat(rig.delete("/v1/sandboxes").status()).isEqualTo(400);
    assertThat(rig.delete("/v1/sandboxes?label=n=0").json().at("/removed").asInt()).isEqualTo(3);
    assertThat(rig.get("/v1/sandboxes?state=gone").json().at("/sandboxes").size()).isEqualTo(3);
    assertThat(rig.get("/v1/sandboxes").json().at("/sandboxes").size()).isEqualTo(5);
  }

  @Test
  void deleteIsIdempotentAndGivesTheCapacityBack() {
    String id = create();
    assertThat(rig.delete("/v1/sandboxes/" + id).status()).isEqualTo(204);
    assertThat(rig.delete("/v1/sandboxes/" + id).status()).isEqualTo(204);
    assertThat(rig.get("/v1/sandboxes/" + id).at("/state")).isEqualTo("gone");
    assertThat(rig.get("/v1/sandboxes/" + id).at("/reason")).isEqualTo("requested");
    assertThat(rig.node.acknowledged).hasSize(1);
    assertThat(rig.delete("/v1/sandboxes/sb-aaaaaaaaaaaaaaaa").status()).isEqualTo(404);
    Rig.Reply late = rig.post("/v1/sandboxes/" + id + "/exec", "{\"argv\":[\"true\"]}");
    assertThat(late.at("/error/code")).isEqualTo("gone");
    assertThat(late.response().headers().firstValue("Dsec-Error")).contains("gone");
    assertThat(late.at("/error/reason")).isEqualTo("requested");
    assertThat(late.json().at("/error/is_fault").asBoolean(true)).isFalse();
  }

  @Test
  void renewMovesTheEnd() {
    String id = create();
    String before = rig.get("/v1/sandboxes/" + id).at("/expires_at");
    Rig.Reply reply = rig.post("/v1/sandboxes/" + id + "/renew", "{\"ttl\": 7200}");
    assertThat(reply.at("/expires_at")).isGreaterThan(before);
  }

  @Test
  void execWaits() {
    String id = create();
    rig.node.onExec =
        (spec, listener) ->
            FakeNode.result(
                new Ending.Exited(3), Bytes.copyOf(new byte[] {'o', 'k', (byte) 255, (byte) 254}));
    Rig.Reply reply = rig.post("/v1/sandboxes/" + id + "/exec", "{\"argv\":[\"x\"]}");
    assertThat(reply.at("/ending/kind")).isEqualTo("exited");
    assertThat(reply.json().at("/ending/code").asInt()).isEqualTo(3);
    assertThat(reply.at("/stdout")).isEqualTo("ok��");
    assertThat(reply.at("/stdout_base64")).isEqualTo("b2v//g==");
    assertThat(reply.json().at("/stderr_base64").isNull()).isTrue();
    assertThat(reply.json().at("/stdout_head_bytes").asInt()).isEqualTo(4);
    assertThat(reply.json().at("/seq/1").asInt()).isEqualTo(7);
  }

  @Test
  void execStreams() {
    String id = create();
    Rig.Reply reply =
        rig.send(
            rig.request("/v1/sandboxes/" + id + "/exec")
                .header("Accept", "application/x-ndjson")
                .POST(java.net.http.HttpRequest.BodyPublishers.ofString("{\"argv\":[\"hi\"]}")));
    String[] lines = reply.text().split("\n");
    assertThat(lines).hasSize(3);
    assertThat(lines[0]).isEqualTo("{\"start\":{\"id\":\"e-1\"}}");
    assertThat(lines[1]).isEqualTo("{\"stdout\":\"aGk=\",\"offset\":0}");
    assertThat(lines[2]).startsWith("{\"end\":{\"ending\":{\"kind\":\"exited\",\"code\":0");
    assertThat(lines[2]).doesNotContain("\"stdout\":");
  }

  @Test
  void aStreamMayBringItsOutputAtTheEndAlone() {
    String id = create();
    Rig.Reply reply =
        rig.send(
            rig.request("/v1/sandboxes/" + id + "/exec?output=end")
                .header("Accept", "application/x-ndjson")
                .POST(java.net.http.HttpRequest.BodyPublishers.ofString("{\"argv\":[\"hi\"]}")));
    String[] lines = reply.text().split("\n");
    assertThat(lines).hasSize(2);
    assertThat(lines[0]).isEqualTo("{\"start\":{\"id\":\"e-1\"}}");
    assertThat(lines[1]).startsWith("{\"end\":{").contains("\"stdout\":\"hi\"");
    Rig.Reply wrong = rig.post("/v1/sandboxes/" + id + "/exec?output=end", "{\"argv\":[\"hi\"]}");
    assertThat(wrong.status()).isEqualTo(400);
    assertThat(wrong.at("/error/field")).isEqualTo("output");
  }

  @Test
  void aProgramThatDoesNotExistIsAnErrorBeforeAnyStream() {
    String id = create();
    rig.node.onExec =
        (_, _) ->
            FakeNode.result(
                new Ending.NotStarted(Reason.PROGRAM_NOT_FOUND, "no program x"), Bytes.EMPTY);
    Rig.Reply reply =
        rig.send(
            rig.request("/v1/sandboxes/" + id + "/exec")
                .header("Accept", "application/x-ndjson")
                .POST(java.net.http.HttpRequest.BodyPublishers.ofString("{\"argv\":[\"x\"]}")));
    assertThat(reply.status()).isEqualTo(422);
    assertThat(reply.at("/error/code")).isEqualTo("program_not_found");
  }

  @Test
  void anIdempotencyKeyMakesOneSandbox() throws Exception {
    Callable<Rig.Reply> create =
        () ->
            rig.send(
                rig.request("/v1/sandboxes")
                    .header("Idempotency-Key", "k1")
                    .POST(java.net.http.HttpRequest.BodyPublishers.ofString(HOST)));
    try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Rig.Reply> first = pool.submit(create);
      Future<Rig.Reply> second = pool.submit(create);
      assertThat(first.get().at("/id")).isEqualTo(second.get().at("/id"));
      assertThat(first.get().status() + second.get().status()).isEqualTo(401);
    }
    assertThat(rig.node.placements).hasSize(1);
    Rig.Reply other =
        rig.send(
            rig.request("/v1/sandboxes")
                .header("Idempotency-Key", "k1")
                .POST(java.net.http.HttpRequest.BodyPublishers.ofString("{\"image\":\"other\"}")));
    assertThat(other.status()).isEqualTo(409);
    String id = create.call().at("/id");
    assertThat(rig.delete("/v1/sandboxes/" + id).status()).isEqualTo(204);
    assertThat(create.call().at("/state")).isEqualTo("gone");
    assertThat(rig.node.placements).hasSize(1);
  }

  @Test
  void aTaskIdWithOtherContentIsAnotherSandbox() {
    String one = "{\"image\":\"host\",\"task_id\":\"t-17\"}";
    String id = rig.post("/v1/sandboxes", one).at("/id");
    assertThat(rig.post("/v1/sandboxes", one).at("/id")).isEqualTo(id);
    assertThat(rig.post("/v1/sandboxes", one.replace("}", ",\"ttl\":\"1m\"}")).at("/id"))
        .isNotEqualTo(id);
    assertThat(rig.delete("/v1/sandboxes/" + id).status()).isEqualTo(204);
    Rig.Reply again = rig.post("/v1/sandboxes", one);
    assertThat(again.status()).isEqualTo(201);
    assertThat(again.at("/id")).isNotEqualTo(id);
  }

  @Test
  void aFailedStartHasItsOwnCodeAndLeavesNothing() {
    rig.node.onPlace =
        _ -> {
          throw DsecException.of(ErrorCode.IMAGE_NOT_FOUND, "no such image: nope");
        };
    Rig.Reply reply = rig.post("/v1/sandboxes", "{\"image\":\"nope\"}");
    assertThat(reply.status()).isEqualTo(422);
    assertThat(reply.at("/error/code")).isEqualTo("image_not_found");
    Rig.Reply failed = rig.get("/v1/sandboxes?state=failed");
    assertThat(failed.at("/sandboxes/0/reason")).isEqualTo("image_not_found");
    assertThat(failed.at("/sandboxes/0/message")).contains("nope");
  }

  @Test
  void eventsAndTrajectoryAreLines() {
    String id = create();
    assertThat(rig.delete("/v1/sandboxes/" + id).status()).isEqualTo(204);
    String events = rig.get("/v1/sandboxes/" + id + "/events?follow=true").text();
    assertThat(
            events
                .lines()
                .filter(line -> !line.isEmpty())
                .map(l -> l.replaceAll(".*\"state\":\"([a-z]+)\".*", "$1")))
        .containsExactly("queued", "placing", "preparing", "running", "stopping", "gone");
    assertThat(rig.get("/v1/sandboxes/" + id + "/trajectory").text())
        .isEqualTo("{\"seq\":1}\n{\"seq\":2}\n");
    assertThat(rig.get("/v1/sandboxes/" + id + "/trajectory?format=atif").at("/error/field"))
        .isEqualTo("format");
  }

  @Test
  void keysAreNeededAndScoped() throws Exception {
    assertThat(
            rig.send(rig.request("/v1/sandboxes").setHeader("Authorization", "Bearer x")).status())
        .isEqualTo(401);
    assertThat(
            PosixFilePermissions.toString(Files.getPosixFilePermissions(data.resolve("admin-key"))))
        .isEqualTo("rw-------");
    String key = rig.post("/v1/keys", "{\"tenant\":\"other\"}").at("/key");
    String id = create();
    assertThat(
            rig.send(rig.request("/v1/sandboxes/" + id).setHeader("Authorization", "Bearer " + key))
                .status())
        .isEqualTo(404);
    assertThat(
            rig.send(rig.request("/v1/keys").setHeader("Authorization", "Bearer " + key)).status())
        .isEqualTo(403);
  }

  @Test
  void systemCalls() {
    assertThat(rig.get("/healthz").status()).isEqualTo(200);
    assertThat(rig.get("/readyz").status()).isEqualTo(200);
    assertThat(rig.get("/metrics").text()).contains("dsec_queue_depth");
    assertThat(rig.get("/v1/images").status()).isEqualTo(501);
    assertThat(rig.post("/v1/sandboxes/" + create() + "/commit", "{}").status()).isEqualTo(501);
    assertThat(rig.get("/v1/nothing").status()).isEqualTo(404);
  }

  @Test
  void tasksRunToTheirEnd() {
    Rig.Reply reply =
        rig.post(
            "/v1/tasks",
            "{\"image\":\"host\",\"command\":[\"true\"],\"files\":{\"/workspace/a\":\"x\"},\"wait\":true}");
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
    assertThat(reply.at("/state")).isEqualTo("ended");
    assertThat(reply.at("/ending/kind")).isEqualTo("exited");
    assertThat(reply.at("/stdout")).isEqualTo("done\n");
    assertThat(rig.get("/v1/tasks/" + reply.at("/id")).at("/stdout")).isEqualTo("done\n");
  }

  @Test
  void whatIsDescribedIsWhatIsAnswered() {
    List<String> described = new ArrayList<>();
    rig.get("/openapi.json")
        .json()
        .at("/paths")
        .properties()
        .forEach(
            path ->
                path.getValue()
                    .propertyNames()
                    .forEach(m -> described.add(m.toUpperCase(Locale.ROOT) + " " + path.getKey())));
    assertThat(described).containsExactlyInAnyOrderElementsOf(rig.server().operations());
  }
}
