// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.client.trajectory.TrajectoryVerifier;
import io.dsec.client.trajectory.Verification;
import io.dsec.link.Json;
import io.dsec.link.TrajectoryCursor;
import io.dsec.model.RecordMode;
import io.dsec.model.SandboxId;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** F46: trajectory lines torn or mixed. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class RecordingCasesTest {
  private static final SandboxId BOX = new SandboxId("sb-ffffffffffffffff");

  @TempDir Path directory;

  private static SpooledRecordings recordings(Path directory) {
    return new SpooledRecordings(
        RecordConfig.in(directory), Clock.systemUTC(), System::nanoTime, new PrometheusRegistry());
  }

  private static Recorder open(SpooledRecordings recordings) {
    return recordings.open(BOX, RecordMode.ON, List.of());
  }

  /** Parses every line; numbers without gap or repeat, time that never goes back. */
  private static List<JsonNode> checked(SpooledRecordings recordings) {
    List<JsonNode> events = Trajectories.events(recordings.read(BOX, 1, false));
    long t = 0;
    for (int i = 0; i < events.size(); i++) {
      assertThat(events.get(i).get("seq").asLong()).isEqualTo(i + 1);
      assertThat(events.get(i).get("t").asLong()).isGreaterThanOrEqualTo(t);
      t = events.get(i).get("t").asLong();
    }
    return events;
  }

  @Test
  void f46ThirtyTwoThreadsMixNothing() throws InterruptedException {
    String hard = "\u0000\ud800\u2028\r\n";
    String text = hard + "x".repeat(300_000) + hard;
    try (SpooledRecordings recordings = recordings(directory)) {
      Recorder recorder = open(recordings);
      List<Thread> threads = new ArrayList<>();
      for (int n = 0; n < 32; n++) {
        int thread = n;
        threads.add(
            Thread.ofVirtual()
                .start(
                    () -> {
                      for (int i = 0; i < 50; i++) {
                        recorder.event("note", Map.of("thread", thread, "i", i, "text", text));
                      }
                    }));
      }
      for (Thread thread : threads) {
        thread.join();
      }
      int[] next = new int[32];
      long seq = 0;
      try (TrajectoryCursor cursor = recordings.read(BOX, 1, false)) {
        for (String line = cursor.next(); line != null; line = cursor.next()) {
          JsonNode event = Json.mapper().readTree(line);
          seq++;
          assertThat(event.get("seq").asLong()).isEqualTo(seq);
          JsonNode data = event.get("data");
          assertThat(data.get("i").asInt()).isEqualTo(next[data.get("thread").asInt()]++);
          assertThat(data.get("text").asString()).isEqualTo(text);
        }
      }
      assertThat(next).containsOnly(50);
    }
  }

  @Test
  void f46KilledInTheMiddleLosesNothingThatWasTold() throws Exception {
    for (int round = 0; round < 3; round++) {
      long told = killedWriter(400 + 300 * round);
      try (SpooledRecordings recordings = recordings(directory)) {
        Recorder recorder = open(recordings);
        List<JsonNode> events = checked(recordings);
        assertThat(events).hasSizeGreaterThanOrEqualTo((int) told);
        assertThat(recorder.event("note", Map.of("text", "after"))).isEqualTo(events.size() + 1L);
        checked(recordings);
      }
    }
  }

  /** Runs a JVM that records, kills it after some events; returns the largest seq it told. */
  private long killedWriter(int after) throws Exception {
    Process child =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                RecordingProcess.class.getName(),
                directory.toString(),
                BOX.value())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    long told = 0;
    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
      int lines = 0;
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        told = Math.max(told, Long.parseLong(line));
        if (++lines == after) {
          child.toHandle().destroyForcibly();
        }
      }
    }
    assertThat(child.waitFor()).isEqualTo(137);
    assertThat(told).isGreaterThanOrEqualTo(after);
    return told;
  }

  @Test
  void whatIsRecordedAcrossARestartIsSound() throws IOException {
    byte[] output = "x".repeat(3000).getBytes(StandardCharsets.UTF_8);
    for (int life = 0; life < 2; life++) {
      try (SpooledRecordings recordings = recordings(directory)) {
        Recorder recorder = open(recordings);
        if (life == 0) {
          recorder.event("exec.start", Map.of("exec", "e-1", "argv", List.of("yes")));
        }
        recorder.bytes("exec.stdout", "e-1", life * 2000L, ByteBuffer.wrap(output));
        if (life == 1) {
          recorder.bytes("exec.stdout", "e-1", 9000, ByteBuffer.wrap(output));
          recorder.event("exec.end", Map.of("exec", "e-1"));
          recorder.event("sandbox.gone", Map.of());
          recorder.close();
        }
      }
      Path file = directory.resolve(BOX.value() + ".jsonl");
      Verification checked = new TrajectoryVerifier().verify(Files.readAllLines(file).iterator());
      assertThat(checked.problems()).isEmpty();
      assertThat(checked.gaps()).isEqualTo(life);
    }
  }

  @Test
  void f46AFullDiskNeitherBlocksNorThrowsAndIsTold() throws Exception {
    Path disk = Files.createDirectory(directory.resolve("disk"));
    Assumptions.assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=1m", "dsec-test", disk.toString()) == 0,
        "needs root for a small tmpfs");
    try (SpooledRecordings recordings = recordings(disk)) {
      Recorder recorder = open(recordings);
      Path filler = disk.resolve("filler");
      fill(filler);
      String text = "x".repeat(10_000);
      long from = System.nanoTime();
      int kept = 0;
      for (int i = 0; i < 200; i++) {
        kept += recorder.event("note", Map.of("text", text)) > 0 ? 1 : 0;
      }
      assertThat(System.nanoTime() - from).isLessThan(TimeUnit.SECONDS.toNanos(5));
      assertThat(kept).isBetween(1, 20);
      Files.delete(filler);
      Awaitility.await().until(() -> checked(recordings).size() > 1);
      recorder.event("note", Map.of("text", "after"));
      List<JsonNode> events = checked(recordings);
      JsonNode gap = Trajectories.gap(events, "disk_full");
      assertThat(gap.get("events").asLong()).isEqualTo(200 - kept);
      assertThat(gap.get("bytes").asLong()).isGreaterThan((200 - kept) * 10_000L);
      assertThat(events).hasSize(kept + 2);
    } finally {
      run("umount", "-l", disk.toString());
    }
  }

  private static void fill(Path filler) throws IOException {
    byte[] block = new byte[64 << 10];
    try {
      while (true) {
        Files.write(filler, block, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      }
    } catch (IOException full) {
      assertThat(full).hasMessageContaining("No space");
    }
  }

  private static int run(String... command) throws Exception {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start()
        .waitFor();
  }
}
