// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import io.dsec.model.RecordMode;
import io.dsec.model.SandboxId;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What recording costs its caller, and what an idle recorder holds. Run by name; prints figures.
 */
@Tag("performance")
final class RecorderCost {
  private static final int EVENTS = 20_000;

  @TempDir Path directory;

  @Test
  void figures() {
    try (SpooledRecordings recordings =
        new SpooledRecordings(
            RecordConfig.in(directory).withStreamBytes(1L << 40).withSandboxBytes(1L << 40),
            Clock.systemUTC(),
            System::nanoTime,
            new PrometheusRegistry())) {
      Recorder plain = recordings.open(id(0), RecordMode.ON, List.of());
      Recorder masked = recordings.open(id(1), RecordMode.ON, List.of("s3cr3t-7f1", "tok-123456"));
      Map<String, Object> end = Map.of("exec", "x", "ending", Map.of("kind", "exited", "code", 0));
      Map<String, Object> file = Map.of("exec", "x", "path", "/workspace/some/file.txt", "size", 1);
      for (int round = 0; round < 3; round++) {
        print("exec.end, written at once", () -> plain.event("exec.end", end));
        print("file.modify, buffered", () -> plain.event("file.modify", file));
        for (int size : new int[] {100, 4096, 65536}) {
          output("plain", plain, size, "x" + round + size);
          output("masked", masked, size, "x" + round + size);
        }
      }
      idle(recordings);
    }
  }

  private static void output(String name, Recorder recorder, int size, String exec) {
    byte[] data = new byte[size];
    Random random = new Random(1);
    for (int i = 0; i < size; i++) {
      data[i] = (byte) (i % 60 == 59 ? '\n' : 'a' + random.nextInt(26));
    }
    long[] offset = {0};
    print(
        "output of %d bytes, %s".formatted(size, name),
        () -> {
          recorder.bytes("exec.stdout", exec, offset[0], ByteBuffer.wrap(data));
          offset[0] += size;
        });
  }

  private void idle(SpooledRecordings recordings) {
    int count = 10_000;
    List<Recorder> kept = new ArrayList<>(count);
    long before = heap();
    for (int i = 0; i < count; i++) {
      Recorder recorder = recordings.open(id(i + 2), RecordMode.ON, List.of());
      recorder.event("sandbox.created", Map.of("image", "host"));
      recorder.bytes("exec.stdout", "e-1", 0, ByteBuffer.wrap(new byte[100]));
      recorder.event("exec.end", Map.of("exec", "e-1"));
      kept.add(recorder);
    }
    Awaitility.await().until(() -> recordings.openFiles() == 0);
    System.out.printf("idle recorder: %d bytes%n", (heap() - before) / kept.size());
  }

  private static long heap() {
    for (int i = 0; i < 4; i++) {
      System.gc();
    }
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  private static SandboxId id(int n) {
    char[] name = "aaaaaaaaaaaaaaaa".toCharArray();
    for (int i = 0, rest = n; rest > 0; i++, rest /= 26) {
      name[i] = (char) ('a' + rest % 26);
    }
    return new SandboxId("sb-" + new String(name));
  }

  private static void print(String what, Runnable call) {
    int events = what.contains("65536") ? EVENTS / 10 : EVENTS;
    long[] nanos = new long[events];
    for (int i = 0; i < events; i++) {
      long from = System.nanoTime();
      call.run();
      nanos[i] = System.nanoTime() - from;
    }
    double mean = Arrays.stream(nanos).average().orElse(0) / 1000;
    Arrays.sort(nanos);
    System.out.printf(
        "%-40s mean %.1f us, p50 %.1f, p99 %.1f%n",
        what, mean, nanos[events / 2] / 1000.0, nanos[events * 99 / 100] / 1000.0);
  }
}
