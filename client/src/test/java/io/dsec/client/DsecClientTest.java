// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.dsec.link.ExecListener;
import io.dsec.model.DsecException;
import io.dsec.model.Ending;
import io.dsec.model.ErrorCode;
import io.dsec.model.ExecResult;
import io.dsec.model.ExecSpec;
import io.dsec.model.Limit;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxState;
import io.dsec.model.Tier;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The client against the bytes of the contract. */
class DsecClientTest {
  private static final SandboxId ID = new SandboxId("sb-aaaaaaaaaaaaaaaa");
  private static final String SANDBOX =
      """
      {"id": "sb-aaaaaaaaaaaaaaaa", "state": "running", "reason": null, "message": null,
       "tenant": "default", "node": "n1", "tier": "container", "image": "host",
       "image_digest": "host", "labels": {"run": "r1"}, "attempt": 1,
       "created_at": "2026-11-29T20:00:00Z", "started_at": "2026-11-29T20:00:01.5Z",
       "expires_at": "2026-11-29T20:30:00Z",
       "resources": {"cpu": 1, "memory": 536870912, "disk": 1073741824, "pids": 256, "gpu": 0,
                     "disk_medium": "disk", "shm": 0},
       "timings": {"queued": 0.001, "placed": 0.002, "prepared": 0.003, "started": 0.004},
       "field_of_a_newer_server": {"x": 1}}
      """;

  private CannedServer server;
  private DsecClient client;

  @BeforeEach
  void start() throws Exception {
    server = new CannedServer();
    client = server.client();
  }

  @AfterEach
  void stop() {
    client.close();
    server.close();
  }

  @Test
  void createsASandboxAndReadsWhatTheServerTells() {
    server.json(201, SANDBOX);
    Sandbox made =
        client
            .sandboxes()
            .create(
                SandboxRequest.of("host")
                    .cpu(0.5)
                    .memory(64 << 20)
                    .env("A", "b")
                    .label("run", "r1")
                    .ttl(Duration.ofSeconds(90)));
    assertThat(made.id()).isEqualTo(ID);
    assertThat(made.state()).isEqualTo(SandboxState.RUNNING);
    assertThat(made.tier()).isEqualTo(Tier.CONTAINER);
    assertThat(made.labels()).isEqualTo(Map.of("run", "r1"));
    assertThat(made.timings().started()).isEqualTo(Duration.ofMillis(4));
    assertThat(server.asked().getFirst().text())
        .isEqualTo(
            "POST /v1/sandboxes {\"image\":\"host\",\"resources\":{\"cpu\":0.5,\"memory\":67108864},"
                + "\"env\":{\"A\":\"b\"},\"labels\":{\"run\":\"r1\"},\"ttl\":90.0}");
    assertThat(server.asked().getFirst().headers())
        .containsEntry("Authorization", List.of("Bearer k-1"));
  }

  @Test
  void listsAllPages() {
    server.json(200, "{\"sandboxes\": [" + SANDBOX + "], \"next_cursor\": \"c 1\"}");
    server.json(200, "{\"sandboxes\": [" + SANDBOX + "], \"next_cursor\": null}");
    assertThat(client.sandboxes().list(SandboxFilter.labelled("run", "r 1"))).hasSize(2);
    assertThat(server.asked())
        .extracting(CannedServer.Asked::text)
        .containsExactly(
            "GET /v1/sandboxes?label=run%3Dr%201&limit=500",
            "GET /v1/sandboxes?label=run%3Dr%201&limit=500&cursor=c%201");
  }

  @Test
  void anApiErrorKeepsCodeFieldHintAndRetryAfter() {
    server.reply(
        429,
        "application/json",
        Map.of("Retry-After", "7"),
        "{\"error\": {\"code\": \"rate_limited\", \"message\": \"too many creates\", \"hint\": \"wait\","
            + " \"field\": \"image\", \"request_id\": \"r\"}}");
    assertThatExceptionOfType(DsecException.class)
        .isThrownBy(() -> client.sandboxes().create(SandboxRequest.of("host")))
        .satisfies(
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.RATE_LIMITED);
              assertThat(e.message()).isEqualTo("too many creates");
              assertThat(e.hint()).contains("wait");
              assertThat(e.field()).contains("image");
              assertThat(e.retryAfter()).contains(Duration.ofSeconds(7));
            });
  }

  @Test
  void anErrorWithoutItsJsonIsToldByItsStatus() {
    server.reply(404, "text/html", Map.of(), "<h1>nothing</h1>");
    assertThatExceptionOfType(DsecException.class)
        .isThrownBy(() -> client.sandboxes().get(ID))
        .satisfies(e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND))
        .withMessage("GET /v1/sandboxes/sb-aaaaaaaaaaaaaaaa was answered with HTTP 404");
  }

  @Test
  void anExecGivesExactBytesAndItsEnding() {
    server.json(
        200,
        """
        {"ending": {"kind": "signaled", "code": null, "signal": 9, "reason": null, "is_fault": false,
                    "limits_hit": ["disk", "pids"]},
         "id": "e-1", "stdout": "ok\\ufffd", "stderr": "e", "stdout_base64": "b2v//g==",
         "stdout_bytes": 4, "stderr_bytes": 1, "stdout_truncated": false, "stderr_truncated": false,
         "duration_seconds": 0.25, "seq": [12, 17]}
        """);
    ExecResult result =
        client
            .sandboxes()
            .exec(ID, ExecSpec.of(List.of("sh", "-c", "x")).withTimeout(Duration.ofMillis(1500)));
    assertThat(result.ending()).isEqualTo(new Ending.Signaled(9));
    assertThat(result.limitsHit()).containsExactlyInAnyOrder(Limit.DISK, Limit.PIDS);
    assertThat(result.stdout().toArray()).containsExactly('o', 'k', 0xff, 0xfe);
    assertThat(result.stderr().lossyText()).isEqualTo("e");
    assertThat(result.duration()).isEqualTo(Duration.ofMillis(250));
    assertThat(result.firstSeq()).isEqualTo(12);
    assertThat(result.lastSeq()).isEqualTo(17);
    assertThat(server.asked().getFirst().text())
        .endsWith("/exec {\"argv\":[\"sh\",\"-c\",\"x\"],\"timeout\":1.5}");
  }

  @Test
  void aStreamedExecTellsOfEachPieceInOrder() {
    server.reply(
        200,
        "application/vnd.dsec.exec",
        Map.of(),
        Records.joined(
            Records.json(1, "{\"id\": \"e-7\"}"),
            Records.output(0, 0, new byte[] {'h', 'i'}),
            Records.output(1, 0, new byte[] {'w', 'a', 'r', 'n'}),
            Records.of(3, 0, 0, new byte[0]),
            Records.output(0, 2, new byte[] {0, (byte) 0xff}),
            Records.json(
                4,
                """
                {"ending": {"kind": "exited", "code": 3, "is_fault": false, "limits_hit": ["output"]},
                 "id": "e-7", "stdout_bytes": 4, "stderr_bytes": 4, "duration_seconds": 1}
                """)));
    List<String> told = new ArrayList<>();
    ExecResult result =
        client
            .sandboxes()
            .exec(
                ID,
                ExecSpec.of(List.of("x")),
                new ExecListener() {
                  @Override
                  public void started(String id) {
                    told.add("start " + id);
                  }

                  @Override
                  public void output(Stream stream, long offset, ByteBuffer data) {
                    told.add(
                        stream + "@" + offset + " " + StandardCharsets.ISO_8859_1.decode(data));
                  }
                });
    assertThat(told)
        .containsExactly("start e-7", "STDOUT@0 hi", "STDERR@0 warn", "STDOUT@2 \u0000ÿ");
    assertThat(result.ending()).isEqualTo(new Ending.Exited(3));
    assertThat(result.limitsHit()).containsExactly(Limit.OUTPUT);
    assertThat(server.asked().getFirst().headers())
        .containsEntry("Accept", List.of("application/vnd.dsec.exec"));
  }

  @Test
  void aStreamWithoutAnEndIsALostConnectionAndNoResult() {
    server.reply(200, "application/vnd.dsec.exec", Map.of(), Records.json(1, "{\"id\": \"e-7\"}"));
    assertThatExceptionOfType(LostConnectionException.class)
        .isThrownBy(() -> client.sandboxes().exec(ID, ExecSpec.of(List.of("x")), ExecListener.NONE))
        .withMessageContaining("without its end record");
  }

  @Test
  void whereNobodyListensThereIsNoServer() throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    URI url = URI.create("http://127.0.0.1:" + port);
    try (DsecClient alone = new DsecClient(new Endpoint(url, null))) {
      assertThat(alone.healthy(Duration.ofSeconds(2))).isFalse();
      assertThatExceptionOfType(NoServerException.class)
          .isThrownBy(() -> alone.sandboxes().get(ID))
          .withMessage("no server at " + url);
    }
  }

  @Test
  void linesOfATrajectoryComeOneByOne() {
    server.reply(200, "application/x-ndjson", Map.of(), "{\"seq\":5}\n\n{\"seq\":6}\n");
    try (LineStream lines = client.sandboxes().trajectory(ID, 5, false)) {
      assertThat(lines.rest()).toIterable().containsExactly("{\"seq\":5}", "{\"seq\":6}");
    }
    assertThat(server.asked().getFirst().text())
        .isEqualTo("GET /v1/sandboxes/sb-aaaaaaaaaaaaaaaa/trajectory?from=5");
  }
}
