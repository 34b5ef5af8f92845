// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.dsec.link.TrajectoryCursor;
import io.dsec.model.DsecException;
import io.dsec.model.RecordMode;
import io.dsec.model.SandboxId;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

final class SpooledRecordingsTest extends RecorderContract {
  private static final Instant NOW = Instant.parse("2026-11-29T12:00:00.123456Z");

  private final AtomicLong ticks = new AtomicLong(5_000);
  private Instant now = NOW;
  private @Nullable SpooledRecordings recordings;
  private final List<SpooledRecordings> opened = new ArrayList<>();

  @Override
  synchronized SpooledRecordings recordings() {
    SpooledRecordings current = recordings;
    return current == null ? with(RecordConfig.in(directory)) : current;
  }

  private SpooledRecordings with(RecordConfig config) {
    SpooledRecordings made =
        new SpooledRecordings(
            config, Clock.fixed(now, ZoneOffset.UTC), ticks::get, new PrometheusRegistry());
    opened.add(made);
    recordings = made;
    return made;
  }

  @AfterEach
  void closeAll() {
    opened.forEach(SpooledRecordings::close);
  }

  private Path file() {
    return directory.resolve(BOX.value() + ".jsonl");
  }

  @Test
  void aLineHasExactlyThisForm() throws IOException {
    Recorder recorder = open();
    ticks.addAndGet(700);
    recorder.event("note", Map.of("text", "a"));
    recorder.bytes("exec.stdout", "e-1", 0, Trajectories.slice(new byte[] {'h', 'i'}, 0, 2));
    recorder.finished("e-1");
    assertThat(Files.readString(file()))
        .isEqualTo(
            """
            {"v":1,"seq":1,"t":700,"wall":"2026-11-29T12:00:00.123456Z","sandbox":"sb-aaaaaaaaaaaaaaaa","kind":"note","data":{"text":"a"}}
            {"v":1,"seq":2,"t":700,"wall":"2026-11-29T12:00:00.123456Z","sandbox":"sb-aaaaaaaaaaaaaaaa","kind":"exec.stdout","data":{"exec":"e-1","offset":0,"bytes":2,"data":"hi"}}
            """);
  }

  @Test
  void lifeCycleIsInTheFileBeforeTheCallReturnsAndOutputSoonAfter() throws IOException {
    Recorder recorder = open();
    recorder.event("exec.start", Map.of("exec", "e-1"));
    assertThat(Files.readAllLines(file())).hasSize(1);
    recorder.bytes("exec.stdout", "e-1", 0, Trajectories.slice(new byte[] {'h'}, 0, 1));
    Awaitility.await().until(() -> Files.readAllLines(file()).size() == 2);
    recorder.bytes("exec.stdout", "e-1", 1, Trajectories.slice(new byte[] {'i'}, 0, 1));
    recorder.event("exec.end", Map.of("exec", "e-1"));
    assertThat(Files.readAllLines(file())).hasSize(4);
  }

  @Test
  void aTornTailIsCutAndTold() throws IOException {
    open().event("note", Map.of());
    recordings().close();
    Files.writeString(file(), "{\"v\":1,\"seq\":2,\"t\"", StandardOpenOption.APPEND);
    with(RecordConfig.in(directory));
    assertThat(open().event("note", Map.of())).isEqualTo(3);
    List<JsonNode> events = events();
    assertThat(events).extracting(e -> e.get("seq").asLong()).containsExactly(1L, 2L, 3L);
    assertThat(Trajectories.gap(events, "torn_tail").get("bytes").asLong()).isEqualTo(18);
  }

  @Test
  void aTornTailIsNeverShown() throws IOException {
    open().event("note", Map.of());
    recordings().close();
    Files.writeString(file(), "{\"v\":1,\"seq\":2,\"t\"", StandardOpenOption.APPEND);
    with(RecordConfig.in(directory));
    assertThat(events()).hasSize(1);
  }

  @Test
  void timeNeverGoesBackOverARestart() {
    ticks.set(1_000_000);
    Recorder recorder = open();
    ticks.addAndGet(500);
    recorder.event("note", Map.of());
    recordings().close();
    ticks.set(3);
    now = NOW.minusSeconds(3600);
    with(RecordConfig.in(directory));
    recorder = open();
    recorder.event("note", Map.of());
    recordings().close();
    ticks.set(9);
    now = NOW.plusSeconds(2);
    with(RecordConfig.in(directory));
    open().event("note", Map.of());
    List<JsonNode> events = events();
    assertThat(events)
        .extracting(e -> e.get("t").asLong())
        .containsExactly(500L, 500L, 500L + Duration.ofSeconds(3602).toNanos());
  }

  @Test
  void bytesSentAgainAfterARestartAreRecordedOnce() {
    Recorder recorder = open();
    byte[] raw = "0123456789".getBytes(StandardCharsets.UTF_8);
    recorder.bytes("exec.stdout", "e-1", 0, Trajectories.slice(raw, 0, 6));
    recorder.bytes("exec.stdout", "e-2", 0, Trajectories.slice(raw, 0, 6));
    recorder.event("exec.end", Map.of("exec", "e-2"));
    recordings().close();
    with(RecordConfig.in(directory));
    recorder = open();
    recorder.bytes("exec.stdout", "e-1", 0, Trajectories.slice(raw, 0, 10));
    recorder.bytes("exec.stdout", "e-2", 0, Trajectories.slice(raw, 0, 6));
    recorder.finished("e-1");
    List<JsonNode> events = events();
    assertThat(Trajectories.stream(events, "e-1", "stdout")).isEqualTo(raw);
    assertThat(Trajectories.stream(events, "e-2", "stdout")).hasSize(6);
  }

  @Test
  void theHeadOfAStreamIsKeptAndTheRestToldOnce() {
    with(RecordConfig.in(directory).withStreamBytes(1001));
    Recorder recorder = open();
    byte[] raw = "é".repeat(2000).getBytes(StandardCharsets.UTF_8);
    for (int at = 0; at < raw.length; at += 100) {
      recorder.bytes("exec.stdout", "e-1", at, Trajectories.slice(raw, at, 100));
    }
    recorder.finished("e-1");
    List<JsonNode> events = events();
    assertThat(Trajectories.stream(events, "e-1", "stdout")).hasSize(1000);
    JsonNode gap = Trajectories.gap(events, "cap");
    assertThat(gap.get("offset").asLong()).isEqualTo(1000);
    assertThat(gap.get("bytes").asLong()).isEqualTo(3000);
  }

  @Test
  void beyondTheCapOfASandboxOnlyItsLifeIsRecorded() {
    with(RecordConfig.in(directory).withSandboxBytes(4096));
    Recorder recorder = open();
    for (int i = 0; i < 100; i++) {
      recorder.event("file.modify", Map.of("path", "/some/path/" + i));
    }
    assertThat(recorder.event("sandbox.gone", Map.of())).isPositive();
    recorder.close();
    List<JsonNode> events = events();
    JsonNode gap = Trajectories.gap(events, "cap");
    assertThat(gap.get("events").asLong() + events.size()).isEqualTo(102);
    assertThat(gap.get("bytes").asLong()).isPositive();
  }

  @Test
  void outputBeyondTheCapOfASandboxIsToldOncePerStream() {
    with(RecordConfig.in(directory).withSandboxBytes(4096));
    Recorder recorder = open();
    byte[] raw = "y\n".repeat(5000).getBytes(StandardCharsets.UTF_8);
    for (int at = 0; at < raw.length; at += 1000) {
      recorder.bytes("exec.stdout", "e-1", at, Trajectories.slice(raw, at, 1000));
    }
    recorder.finished("e-1");
    List<JsonNode> events = events();
    JsonNode gap = Trajectories.gap(events, "cap");
    int kept = Trajectories.stream(events, "e-1", "stdout").length;
    assertThat(kept).isBetween(1000, 4000);
    assertThat(gap.get("bytes").asLong()).isEqualTo(raw.length - kept);
  }

  @Test
  void aFullSpoolIsToldOnceThereIsRoom() {
    with(RecordConfig.in(directory).withTotalBytes(200_000));
    SandboxId old = new SandboxId("sb-bbbbbbbbbbbbbbbb");
    try (Recorder recorder = recordings().open(old, RecordMode.ON, List.of())) {
      recorder.event("note", Map.of("text", "x".repeat(150_000)));
    }
    Recorder recorder = open();
    int kept = 0;
    for (int i = 0; i < 40; i++) {
      kept += recorder.event("note", Map.of("text", "x".repeat(5000))) > 0 ? 1 : 0;
    }
    assertThat(kept).isBetween(10, 30);
    recordings().sweep();
    ticks.addAndGet(Duration.ofSeconds(1).toNanos());
    recorder.event("note", Map.of());
    List<JsonNode> events = events();
    assertThat(Trajectories.gap(events, "spool_full").get("events").asInt()).isEqualTo(40 - kept);
    assertThat(events).hasSize(kept + 2);
  }

  @Test
  void valuesOfFewerThanFourBytesAreNoSecrets() {
    open("abc", "").event("note", Map.of("text", "abc"));
    assertThat(events().getFirst().get("data").get("text").asString()).isEqualTo("abc");
  }

  @Test
  void aGapTellsOfAnEventTooLargeToKeep() {
    Recorder recorder = open();
    assertThat(recorder.event("note", Map.of("text", "x".repeat(17 << 20)))).isZero();
    recorder.close();
    assertThat(Trajectories.gap(events(), "cap").get("events").asInt()).isEqualTo(1);
  }

  @Test
  void sweepRemovesByAgeThenBySizeButNeverLiveOnes() throws IOException {
    SandboxId[] ids = new SandboxId[5];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = new SandboxId("sb-aaaaaaaaaaaaaaa" + (char) ('b' + i));
      Recorder recorder = recordings().open(ids[i], RecordMode.ON, List.of());
      recorder.event("note", Map.of("text", "x".repeat(3000)));
      if (i != 1) {
        recorder.close();
      }
    }
    age(ids[0], Duration.ofDays(8));
    age(ids[1], Duration.ofDays(9));
    age(ids[2], Duration.ofDays(1));
    recordings().sweep();
    assertThat(directory.toFile().list()).hasSize(4);
    try (SpooledRecordings small = with(RecordConfig.in(directory).withTotalBytes(10_000))) {
      assertThat(directory.toFile().list()).hasSize(2);
      assertThatExceptionOfType(DsecException.class).isThrownBy(() -> small.read(ids[2], 1, false));
      assertThat(Trajectories.events(small.read(ids[4], 1, false))).hasSize(1);
    }
  }

  private void age(SandboxId id, Duration age) throws IOException {
    Files.setLastModifiedTime(
        directory.resolve(id.value() + ".jsonl"), FileTime.from(NOW.minus(age)));
  }

  @Test
  void filesAreForTheNodeAlone() throws IOException {
    open().event("note", Map.of());
    assertThat(Files.getPosixFilePermissions(file())).hasSize(2);
  }

  @Test
  void filesThatAreNotWrittenAreClosed() {
    open().event("note", Map.of());
    assertThat(recordings().openFiles()).isEqualTo(1);
    Awaitility.await().until(() -> recordings().openFiles() == 0);
  }

  @Test
  void manyFollowersCostNoFiles() throws InterruptedException {
    Recorder recorder = open();
    recorder.event("note", Map.of());
    List<Thread> readers = new ArrayList<>();
    AtomicLong lines = new AtomicLong();
    for (int i = 0; i < 2000; i++) {
      TrajectoryCursor cursor = recordings().read(BOX, 1, true);
      readers.add(
          Thread.ofVirtual().start(() -> lines.addAndGet(Trajectories.events(cursor).size())));
    }
    recorder.event("note", Map.of());
    recorder.close();
    for (Thread reader : readers) {
      reader.join();
    }
    assertThat(lines).hasValue(4000);
  }

  @Test
  void anInterruptedCallerStillRecords() {
    Recorder recorder = open();
    Thread.currentThread().interrupt();
    try {
      assertThat(recorder.event("note", Map.of())).isEqualTo(1);
      assertThat(recorder.event("note", Map.of())).isEqualTo(2);
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(events()).hasSize(2);
  }
}
