// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.link.TrajectoryCursor;
import io.dsec.model.Bytes;
import io.dsec.model.DsecException;
import io.dsec.model.RecordMode;
import io.dsec.model.SandboxId;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** What every {@link Recordings} promises. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
abstract class RecorderContract {
  static final SandboxId BOX = new SandboxId("sb-aaaaaaaaaaaaaaaa");

  @TempDir Path directory;

  abstract Recordings recordings();

  Recorder open(String... secrets) {
    return recordings().open(BOX, RecordMode.ON, List.of(secrets));
  }

  List<JsonNode> events() {
    return Trajectories.events(recordings().read(BOX, 1, false));
  }

  @Test
  void eventsAreNumberedFromOneInTheOrderGiven() {
    Recorder recorder = open();
    assertThat(recorder.event("sandbox.created", Map.of("image", "host"))).isEqualTo(1);
    assertThat(recorder.event("note", Map.of("text", "n"))).isEqualTo(2);
    List<JsonNode> events = events();
    assertThat(events).extracting(e -> e.get("seq").asLong()).containsExactly(1L, 2L);
    JsonNode first = events.getFirst();
    assertThat(first.get("v").asInt()).isEqualTo(1);
    assertThat(first.get("sandbox").asString()).isEqualTo(BOX.value());
    assertThat(first.get("kind").asString()).isEqualTo("sandbox.created");
    assertThat(first.get("data").get("image").asString()).isEqualTo("host");
    assertThat(first.get("wall").asString()).endsWith("Z");
  }

  @Test
  void hardTextsComeBackAsTheyWere() {
    Recorder recorder = open();
    String text = "nul\u0000 lone\ud800 low\udc00 \u2028\u2029\u0085\r\n\t\"\\ é 界 \ud83d\ude00";
    recorder.event("note", Map.of("text", text));
    assertThat(events().getFirst().get("data").get("text").asString()).isEqualTo(text);
  }

  @Test
  void bytesThatAreNotUtf8ComeBackFromBase64() {
    Recorder recorder = open();
    byte[] raw = {'o', 'k', (byte) 0xFF, (byte) 0xFE, '\n'};
    recorder.event("net.response", Map.of("body", Bytes.wrap(raw)));
    assertThat(Trajectories.bytes(events().getFirst().get("data").get("body"))).isEqualTo(raw);
  }

  @Test
  void aCharacterIsNeverSplit() {
    Recorder recorder = open();
    byte[] raw = ("x".repeat(8191) + "界".repeat(30_000)).getBytes(StandardCharsets.UTF_8);
    for (int at = 0; at < raw.length; at += 8192) {
      recorder.bytes("exec.stdout", "e-1", at, Trajectories.slice(raw, at, 8192));
    }
    recorder.finished("e-1");
    List<JsonNode> events = events();
    assertThat(events).allMatch(e -> e.get("data").get("data").isString());
    assertThat(Trajectories.stream(events, "e-1", "stdout")).isEqualTo(raw);
  }

  @Test
  void anUnfinishedCharacterIsKeptAsBytesAtTheEnd() {
    Recorder recorder = open();
    byte[] raw = {'a', (byte) 0xE7, (byte) 0x95};
    recorder.bytes("exec.stderr", "e-1", 0, Trajectories.slice(raw, 0, 3));
    recorder.finished("e-1");
    assertThat(Trajectories.stream(events(), "e-1", "stderr")).isEqualTo(raw);
  }

  @Test
  void bytesSentAgainAreRecordedOnce() {
    Recorder recorder = open();
    byte[] raw = "0123456789".getBytes(StandardCharsets.UTF_8);
    recorder.bytes("exec.stdout", "e-1", 0, Trajectories.slice(raw, 0, 6));
    recorder.bytes("exec.stdout", "e-1", 2, Trajectories.slice(raw, 2, 6));
    recorder.bytes("exec.stdout", "e-1", 0, Trajectories.slice(raw, 0, 10));
    recorder.finished("e-1");
    recorder.bytes("exec.stdout", "e-1", 0, Trajectories.slice(raw, 0, 10));
    assertThat(Trajectories.stream(events(), "e-1", "stdout")).isEqualTo(raw);
  }

  @Test
  void missingBytesAreToldByAGap() {
    Recorder recorder = open();
    byte[] raw = "0123456789".getBytes(StandardCharsets.UTF_8);
    recorder.bytes("exec.stdout", "e-1", 0, Trajectories.slice(raw, 0, 2));
    recorder.bytes("exec.stdout", "e-1", 7, Trajectories.slice(raw, 7, 3));
    recorder.finished("e-1");
    JsonNode gap = Trajectories.gap(events(), "lost");
    assertThat(gap.get("offset").asLong()).isEqualTo(2);
    assertThat(gap.get("bytes").asLong()).isEqualTo(5);
    assertThat(gap.get("stream").asString()).isEqualTo("stdout");
  }

  @Test
  void secretsNeverShow() {
    Recorder recorder = open("s3cr3t-7f1", "other\nline");
    recorder.event("exec.start", Map.of("env", Map.of("s3cr3t-7f1", "a s3cr3t-7f1 b")));
    byte[] raw = "pre s3cr3t-7f1 post s3cr3t".getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < raw.length; i++) {
      recorder.bytes("exec.stdout", "e-1", i, Trajectories.slice(raw, i, 1));
    }
    recorder.finished("e-1");
    List<JsonNode> events = events();
    assertThat(events.getFirst().get("data").get("env").get("s3cr3t-7f1").asString())
        .isEqualTo("a *** b");
    assertThat(new String(Trajectories.stream(events, "e-1", "stdout"), StandardCharsets.UTF_8))
        .isEqualTo("pre *** post s3cr3t");
  }

  @Test
  void anActionIsToldBesideItsData() {
    open().event("exec.start", Map.of("action", 3, "exec", "e-1"));
    assertThat(events().getFirst().get("action").asInt()).isEqualTo(3);
  }

  @Test
  void anythingAsDataIsRecordedOrToldAsAGapButNeverThrows() {
    Recorder recorder = open();
    Object[] loop = new Object[1];
    List<Object> cyclic = Arrays.asList(loop);
    loop[0] = cyclic;
    assertThat(recorder.event("note", Map.of("x", cyclic))).isZero();
    assertThat(recorder.event("note", Map.of("x", Double.NaN, "y", 1.5, "z", Thread.State.NEW)))
        .isEqualTo(2);
    assertThat(recorder.bytes("exec.nonsense", "e-1", 0, Trajectories.slice(new byte[1], 0, 1)))
        .isZero();
    assertThat(Trajectories.gap(events(), "unencodable").get("events").asInt()).isEqualTo(1);
    JsonNode data = events().getLast().get("data");
    assertThat(data.get("x").isNull()).isTrue();
    assertThat(data.get("z").asString()).isEqualTo("new");
  }

  @Test
  void oneWriterAtATime() {
    Recorder recorder = open();
    Assertions.assertThatExceptionOfType(DsecException.class).isThrownBy(this::open);
    recorder.close();
    recorder.close();
    assertThat(recorder.event("note", Map.of())).isZero();
    assertThat(open().event("note", Map.of())).isEqualTo(1);
  }

  @Test
  void offRecordsNothing() {
    Recorder recorder = recordings().open(BOX, RecordMode.OFF, List.of());
    assertThat(recorder.event("note", Map.of())).isZero();
    Assertions.assertThatExceptionOfType(DsecException.class)
        .isThrownBy(() -> recordings().read(BOX, 1, false));
  }

  @Test
  void aCursorStartsWhereAskedAndFollowsToTheEnd() throws InterruptedException {
    Recorder recorder = open();
    recorder.event("note", Map.of("n", 1));
    recorder.event("note", Map.of("n", 2));
    List<JsonNode> seen = new CopyOnWriteArrayList<>();
    TrajectoryCursor cursor = recordings().read(BOX, 2, true);
    Thread reader = Thread.ofVirtual().start(() -> seen.addAll(Trajectories.events(cursor)));
    recorder.event("resource", Map.of("n", 3));
    recorder.close();
    reader.join();
    assertThat(seen).extracting(e -> e.get("seq").asLong()).containsExactly(2L, 3L);
  }

  @Test
  void closingAFollowingCursorEndsIt() throws InterruptedException {
    Recorder recorder = open();
    recorder.event("note", Map.of());
    TrajectoryCursor cursor = recordings().read(BOX, 1, true);
    Thread reader = Thread.ofVirtual().start(() -> Trajectories.events(cursor));
    cursor.close();
    reader.join();
    assertThat(recorder.event("note", Map.of())).isEqualTo(2);
  }

  @Test
  void randomChunksRebuildExactlyAndHoldNoSecret() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    String[] secrets = {"abcd", "bcde", "界界", "abcdabce"};
    Recorder recorder = open(secrets);
    Map<String, byte[]> expected = new TreeMap<>();
    for (int round = 0; round < 200; round++) {
      String exec = "e-" + round;
      byte[] text = Chunks.text(random, secrets);
      byte[] noise = Chunks.noise(random);
      Chunks.record(random, recorder, "exec.stdout", exec, text);
      Chunks.record(random, recorder, "exec.stderr", exec, noise);
      recorder.finished(exec);
      expected.put(exec + " stdout", Chunks.masked(text, secrets));
      expected.put(exec + " stderr", noise);
    }
    List<JsonNode> events = events();
    expected.forEach(
        (name, bytes) -> {
          String[] parts = name.split(" ", 2);
          assertThat(Trajectories.stream(events, parts[0], parts[1]))
              .as("%s, seed %d", name, seed)
              .isEqualTo(bytes);
        });
    for (String secret : secrets) {
      assertThat(events)
          .as("seed %d", seed)
          .noneMatch(e -> e.get("data").path("data").asString("").contains(secret));
    }
  }
}
