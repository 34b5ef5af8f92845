// SPDX-License-Identifier: Apache-2.0
package io.dsec.bench;

import io.dsec.client.SandboxRequest;
import io.dsec.model.ExecSpec;
import io.dsec.model.SandboxId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A thousand live idle sandboxes: what each costs all told, and whether creating stays as quick.
 */
final class IdleBench implements Benchmark {
  private static final int LIVE = 1000;

  @Override
  public String name() {
    return "idle";
  }

  @Override
  public List<Figure> run() throws Exception {
    SandboxRequest request =
        SandboxRequest.of("host")
            .guaranteed(0.01, 8 << 20)
            .memory(64 << 20)
            .disk(16 << 20)
            .cpu(0.5);
    try (Dsec dsec = Dsec.start()) {
      List<SandboxId> live = new ArrayList<>();
      Sample few = creates(dsec, request, live, 10);
      long before = available();
      while (live.size() < LIVE) {
        live.add(dsec.create(request));
      }
      double each = (before - available()) / (double) (LIVE - 10) / (1 << 20);
      Sample many = creates(dsec, request, live, LIVE);
      ExecSpec exec = ExecSpec.of(List.of("true"));
      for (int i = 0; i < LIVE; i += 50) {
        if (!dsec.client().sandboxes().exec(live.get(i), exec).ending().succeeded()) {
          throw new IllegalStateException("sandbox " + i + " does not answer");
        }
      }
      return List.of(
          Figure.of("idle", "live", LIVE, "sandboxes").atLeast(1000),
          Figure.of("idle", "memory-each", each, "MiB").atMost(3),
          Figure.of("idle", "create-p50-growth", many.p50(), "ms")
              .atMost(2, "create at 10 live", few.p50()));
    }
  }

  /** Fills up to {@code level}, then creates and deletes beside it. */
  private static Sample creates(Dsec dsec, SandboxRequest request, List<SandboxId> live, int level)
      throws Exception {
    while (live.size() < level) {
      live.add(dsec.create(request));
    }
    double[] millis = new double[100];
    for (int i = -30; i < millis.length; i++) {
      long start = System.nanoTime();
      SandboxId id = dsec.create(request);
      if (i >= 0) {
        millis[i] = (System.nanoTime() - start) / 1e6;
      }
      dsec.delete(id);
    }
    return Sample.of(millis);
  }

  /** Bytes that the kernel could still give: guest, node heap and kernel memory all show here. */
  private static long available() throws IOException {
    System.gc();
    for (String line : Files.readAllLines(Path.of("/proc/meminfo"))) {
      // MemAvailable:   23456789 kB
      if (line.startsWith("MemAvailable:")) {
        return Long.parseLong(line.replaceAll("\\D+", "")) << 10;
      }
    }
    throw new IOException("/proc/meminfo has no MemAvailable");
  }
}
