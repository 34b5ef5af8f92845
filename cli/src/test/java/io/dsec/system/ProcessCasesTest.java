// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

/** Processes through the public HTTP surface: background, output, input, signals, looking back. */
@ExtendWith(SharedDsec.class)
class ProcessCasesTest {
  private final DsecProcess dsec;
  private final Api api;
  private final HttpClient http = HttpClient.newHttpClient();
  private final Box box;

  ProcessCasesTest(DsecProcess dsec) {
    this.dsec = dsec;
    this.api = dsec.api();
    this.box = api.create();
  }

  @AfterEach
  void remove() {
    box.close();
    http.close();
  }

  private String base() {
    return "/v1/sandboxes/" + box.id() + "/processes";
  }

  private String start(Map<String, ?> body) {
    Api.Reply reply = api.post(base(), body);
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
    assertThat(reply.json().path("background").asBoolean(false)).isTrue();
    return reply.json().path("id").asString("");
  }

  private String sh(String script) {
    return start(Map.of("argv", List.of("sh", "-c", script)));
  }

  private JsonNode show(String id) {
    Api.Reply reply = api.get(base() + "/" + id);
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    return reply.json();
  }

  private JsonNode ended(String id) {
    return await()
        .atMost(10, TimeUnit.SECONDS)
        .until(() -> show(id), p -> p.path("state").asString("").equals("ended"));
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(dsec.url() + base() + path))
        .header("Authorization", "Bearer " + dsec.key())
        .timeout(Duration.ofMinutes(2));
  }

  private HttpResponse<InputStream> output(String id, String query)
      throws IOException, InterruptedException {
    return http.send(request("/" + id + "/output?" + query).build(), BodyHandlers.ofInputStream());
  }

  private String text(String id, String query) throws IOException, InterruptedException {
    try (InputStream in = output(id, query).body()) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  private HttpResponse<String> stdin(String id, String query, HttpRequest.BodyPublisher body)
      throws IOException, InterruptedException {
    return http.send(
        request("/" + id + "/stdin" + query).POST(body).build(), BodyHandlers.ofString());
  }

  @Test
  void aBackgroundProcessIsListedReadAndKeptAfterItsEnd() throws Exception {
    String id = sh("echo one; echo two >&2; sleep 0.2; echo three; exit 7");
    assertThat(text(id, "follow=true")).isEqualTo("one\nthree\n");
    assertThat(text(id, "stream=stderr")).isEqualTo("two\n");
    JsonNode over = ended(id);
    assertThat(over.path("ending").path("code").asInt(-1)).isEqualTo(7);
    assertThat(over.path("stdout_bytes").asInt(-1)).isEqualTo(10);
    assertThat(over.path("duration_seconds").asDouble(0)).isBetween(0.15, 5.0);
    assertThat(text(id, "offset=4")).isEqualTo("three\n");
    assertThat(api.get(base()).json().path("processes").path(0).path("id").asString(""))
        .isEqualTo(id);
    assertThat(api.delete(base() + "/" + id).status()).isEqualTo(204);
    await().atMost(5, TimeUnit.SECONDS).until(() -> api.get(base() + "/" + id).status() == 404);
    assertThat(api.delete(base() + "/" + id).status()).isEqualTo(204);
  }

  @Test
  void anEndCanBeWaitedFor() {
    String id = sh("sleep 600");
    assertThat(api.get(base() + "/" + id + "?wait=0.1").json().path("state").asString(""))
        .isEqualTo("running");
    CompletableFuture<Api.Reply> end =
        CompletableFuture.supplyAsync(() -> api.get(base() + "/" + id + "?wait=60s"));
    assertThat(api.post(base() + "/" + id + "/signal", Map.of("signal", "TERM")).status())
        .isEqualTo(204);
    JsonNode over = end.orTimeout(30, TimeUnit.SECONDS).join().json();
    assertThat(over.path("ending").path("kind").asString("")).isEqualTo("signaled");
  }

  @Test
  void truncatedOutputTellsWhereItsHeadEnds() {
    JsonNode r =
        api.post(
                "/v1/sandboxes/" + box.id() + "/exec",
                Map.of("shell", "seq 100000; echo end", "max_output", 9))
            .json();
    assertThat(r.path("stdout").asString("")).isEqualTo("1\n2\n3end\n");
    assertThat(r.path("stdout_head_bytes").asInt(-1)).isEqualTo(5);
  }

  @Test
  void aWaitingExecCanBeReattachedByItsId() throws Exception {
    assertThat(box.sh("echo kept").json().path("id").asString("")).isEqualTo("e-1");
    assertThat(text("e-1", "")).isEqualTo("kept\n");
    CompletableFuture<HttpResponse<InputStream>> dropped =
        http.sendAsync(
            HttpRequest.newBuilder(URI.create(dsec.url() + "/v1/sandboxes/" + box.id() + "/exec"))
                .header("Authorization", "Bearer " + dsec.key())
                .POST(
                    BodyPublishers.ofString(
                        "{\"argv\":[\"sh\",\"-c\",\"echo begun; sleep 1; echo done\"]}"))
                .build(),
            BodyHandlers.ofInputStream());
    await().until(() -> api.get(base() + "/e-2").status() == 200);
    dropped.cancel(true);
    assertThat(text("e-2", "follow=true")).isEqualTo("begun\ndone\n");
    assertThat(ended("e-2").path("ending").path("code").asInt(-1)).isZero();
  }

  /** More than all socket buffers hold, so that the stalled reader is stalled indeed. */
  @Test
  void severalReadersGetTheSameAndAStalledOneHoldsNobodyUp() throws Exception {
    String id =
        start(
            Map.of(
                "argv",
                List.of("sh", "-c", "sleep 0.5; head -c 30000000 /dev/zero"),
                "max_output",
                "40Mi"));
    try (InputStream stalled = output(id, "follow=true").body()) {
      List<CompletableFuture<Long>> readers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        readers.add(
            CompletableFuture.supplyAsync(
                () -> {
                  try (InputStream in = output(id, "follow=true").body()) {
                    return in.transferTo(OutputStream.nullOutputStream());
                  } catch (IOException | InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                }));
      }
      for (CompletableFuture<Long> reader : readers) {
        assertThat(reader.get(30, TimeUnit.SECONDS)).isEqualTo(30_000_000);
      }
      assertThat(ended(id).path("ending").path("code").asInt(-1)).isZero();
      assertThat(stalled.read()).isZero();
    }
  }

  @Test
  void aLateReaderGetsHeadAndTailAndIsToldOfTheGap() throws Exception {
    String id = start(Map.of("argv", List.of("sh", "-c", "seq 1 200000"), "max_output", "64Ki"));
    long total = ended(id).path("stdout_bytes").asLong(0);
    assertThat(total).isEqualTo(1_288_895);
    HttpResponse<InputStream> head = output(id, "");
    assertThat(head.headers().firstValue("Dsec-Offset")).hasValue("0");
    assertThat(head.body().readAllBytes()).hasSize(32 << 10);
    HttpResponse<InputStream> tail = output(id, "offset=" + (32 << 10));
    long at = Long.parseLong(tail.headers().firstValue("Dsec-Offset").orElseThrow());
    byte[] rest = tail.body().readAllBytes();
    assertThat(at + rest.length).isEqualTo(total);
    assertThat(new String(rest, UTF_8)).endsWith("199999\n200000\n");
    HttpRequest lines =
        request("/" + id + "/output").header("Accept", "application/x-ndjson").build();
    assertThat(http.send(lines, BodyHandlers.ofString()).body())
        .contains("{\"gap\":{\"")
        .contains("\"from\":" + (32 << 10));
  }

  @Test
  void inputComesInPiecesWithBackPressureAndAnEnd() throws Exception {
    String id = start(Map.of("argv", List.of("sha256sum"), "stdin_open", true));
    byte[] data = new byte[20 << 20];
    new Random(4).nextBytes(data);
    HttpResponse<String> first = stdin(id, "", BodyPublishers.ofByteArray(data, 0, 5 << 20));
    assertThat(first.body()).isEqualTo("{\"offset\":5242880}");
    // repeated after a lost reply: what is known already counts once
    HttpResponse<String> again =
        stdin(id, "?offset=5242000", BodyPublishers.ofByteArray(data, 5242000, 1000));
    assertThat(again.body()).isEqualTo("{\"offset\":5243000}");
    HttpResponse<String> jump = stdin(id, "?offset=9000000", BodyPublishers.ofString("x"));
    assertThat(jump.statusCode()).as(jump.body()).isEqualTo(409);
    HttpResponse<String> last =
        stdin(
            id,
            "?offset=5243000&close=true",
            BodyPublishers.ofByteArray(data, 5243000, data.length - 5243000));
    assertThat(last.body()).isEqualTo("{\"offset\":" + data.length + "}");
    String sum = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(data));
    assertThat(text(id, "follow=true")).isEqualTo(sum + "  -\n");
    assertThat(stdin(id, "", BodyPublishers.ofString("more")).statusCode()).isEqualTo(409);
  }

  @Test
  void signalsReachTheProcessOrItsGroup() throws Exception {
    String id = sh("trap 'echo got TERM; exit 3' TERM; echo ready; while :; do sleep 0.05; done");
    await().until(() -> text(id, "").contains("ready"));
    assertThat(signal(id, "{\"signal\":\"TERM\"}").statusCode()).isEqualTo(204);
    assertThat(ended(id).path("ending").path("code").asInt(-1)).isEqualTo(3);
    assertThat(signal(id, "{\"signal\":\"TERM\"}").statusCode()).isEqualTo(409);

    String pair = sh("sleep 300 & echo up; wait");
    await().until(() -> text(pair, "").contains("up"));
    assertThat(signal(pair, "{\"signal\":9,\"group\":true}").statusCode()).isEqualTo(204);
    assertThat(ended(pair).path("ending").path("signal").asInt(-1)).isEqualTo(9);
    assertThat(box.sh("pgrep -x sleep | wc -l").stdout().strip()).isEqualTo("0");
    assertThat(signal(pair, "{\"signal\":\"NOPE\"}").body()).contains("invalid_request");
    assertThat(signal(pair, "{\"signal\":65}").body()).contains("invalid_request");
  }

  private HttpResponse<String> signal(String id, String body)
      throws IOException, InterruptedException {
    return http.send(
        request("/" + id + "/signal").POST(BodyPublishers.ofString(body)).build(),
        BodyHandlers.ofString());
  }

  @Test
  void outputOfChildrenAfterTheEndGoesToTheProcess() throws Exception {
    Ran ran = box.sh("(sleep 0.5; echo late) & echo early");
    assertThat(ran.stdout()).isEqualTo("early\n");
    String id = ran.json().path("id").asString("");
    assertThat(text(id, "follow=true")).isEqualTo("early\nlate\n");
  }

  @Test
  void deletingARunningProcessKillsAllOfIt() {
    String id = sh("setsid sleep 300 & sleep 300");
    await().until(() -> box.sh("pgrep -x sleep | wc -l").stdout().strip().equals("2"));
    assertThat(api.delete(base() + "/" + id).status()).isEqualTo(204);
    await()
        .atMost(5, TimeUnit.SECONDS)
        .until(() -> box.sh("pgrep -x sleep | wc -l").stdout().strip().equals("0"));
  }

  @Test
  void aProcessThatCannotStartIsAnError() {
    assertThat(api.post(base(), Map.of("argv", List.of("nosuch"))).code())
        .isEqualTo("program_not_found");
    assertThat(api.post(base(), Map.of("argv", List.of("true"), "cwd", "/nope")).code())
        .isEqualTo("bad_cwd");
    assertThat(api.get(base() + "/e-99").status()).isEqualTo(404);
    assertThat(api.get(base() + "/e-99/output").status()).isEqualTo(404);
  }

  @Test
  void endedOnesAreForgottenByAndBy() {
    for (int i = 0; i < 60; i++) {
      assertThat(box.exec("true").code()).isZero();
    }
    int listed = api.get(base()).json().path("processes").size();
    assertThat(listed).isEqualTo(32);
    assertThat(api.get(base() + "/e-1").status()).isEqualTo(404);
  }

  @Test
  void inputRepeatedFromItsBeginningCountsOnce() throws Exception {
    byte[] data = new byte[1 << 20];
    new Random(5).nextBytes(data);
    String id = start(Map.of("argv", List.of("sha256sum"), "stdin_open", true));
    assertThat(stdin(id, "", BodyPublishers.ofByteArray(data, 0, 300 << 10)).statusCode())
        .isEqualTo(200);
    assertThat(stdin(id, "?offset=0&close=true", BodyPublishers.ofByteArray(data)).body())
        .isEqualTo("{\"offset\":" + data.length + "}");
    String sum = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(data));
    assertThat(text(id, "follow=true")).isEqualTo(sum + "  -\n");
  }

  @Test
  void twoWritersLoseNothing() throws Exception {
    String id = start(Map.of("argv", List.of("sh", "-c", "sleep 0.5; wc -c"), "stdin_open", true));
    List<CompletableFuture<Integer>> writers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      writers.add(
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return stdin(id, "", BodyPublishers.ofByteArray(new byte[2 << 20])).statusCode();
                } catch (IOException | InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              }));
    }
    for (CompletableFuture<Integer> writer : writers) {
      assertThat(writer.get(30, TimeUnit.SECONDS)).isEqualTo(200);
    }
    assertThat(stdin(id, "?close=true", BodyPublishers.noBody()).statusCode()).isEqualTo(200);
    assertThat(text(id, "follow=true").strip()).isEqualTo(Integer.toString(4 << 20));
  }

  @Test
  void aFollowerEndsWhenItsProcessIsDeleted() throws Exception {
    String id = sh("(setsid sleep 60)& echo hi");
    CompletableFuture<String> follower =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return text(id, "follow=true");
              } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    await().until(() -> show(id).path("stdout_bytes").asInt(0) == 3);
    assertThat(api.delete(base() + "/" + id).status()).isEqualTo(204);
    assertThat(follower.get(10, TimeUnit.SECONDS)).isEqualTo("hi\n");
  }

  @Test
  void deletingAnAwaitedExecKeepsItsOutputForWhoeverWaits() throws Exception {
    for (int round = 1; round <= 10; round++) {
      String id = "e-" + round;
      CompletableFuture<Ran> waiting =
          CompletableFuture.supplyAsync(() -> box.sh("head -c 100000 /dev/zero; sleep 60"));
      await()
          .until(() -> api.get(base() + "/" + id).json().path("stdout_bytes").asInt(0) == 100_000);
      assertThat(api.delete(base() + "/" + id).status()).isEqualTo(204);
      Ran ran = waiting.get(10, TimeUnit.SECONDS);
      assertThat(ran.ending()).isEqualTo("killed");
      assertThat(ran.stdoutBytes().length()).isEqualTo(100_000);
    }
  }

  @Test
  void deletingTheMainCommandOfATaskEndsTheTask() throws Exception {
    for (int round = 0; round < 5; round++) {
      Api.Reply task =
          api.post(
              "/v1/tasks",
              Map.of(
                  "image",
                  "host",
                  "command",
                  List.of("sh", "-c", "head -c 100000 /dev/zero; sleep 60")));
      String id = task.json().path("id").asString("");
      String sandbox =
          await()
              .until(
                  () -> api.get("/v1/tasks/" + id).json().path("sandbox").asString(""),
                  name -> name.startsWith("sb-"));
      String main = "/v1/sandboxes/" + sandbox + "/processes/e-1";
      await().until(() -> api.get(main).json().path("stdout_bytes").asInt(0) == 100_000);
      assertThat(api.delete(main).status()).isEqualTo(204);
      JsonNode over = api.get("/v1/tasks/" + id + "?wait=20s").json();
      assertThat(over.path("ending").path("kind").asString(""))
          .as(over.toString())
          .isEqualTo("killed");
    }
  }

  @Test
  void moreThanASandboxCanHoldIsAnErrorAndSmallOutputIsCappedToo() throws Exception {
    String id = start(Map.of("argv", List.of("seq", "1", "5000"), "max_output", 100));
    ended(id);
    assertThat(text(id, "")).hasSize(50).startsWith("1\n2\n");
    assertThat(text(id, "offset=50")).hasSize(50).endsWith("5000\n");
    Map<String, Object> large = Map.of("argv", List.of("cat"), "stdin", "x".repeat(100_000));
    assertThat(api.post(base(), large).code()).isEqualTo("too_large");
  }
}
