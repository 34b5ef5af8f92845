// SPDX-License-Identifier: Apache-2.0
package io.dsec.bench;

import io.dsec.client.SandboxRequest;
import io.dsec.model.ExecSpec;
import io.dsec.model.SandboxId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/** Create, one exec and destroy, over and over, by 16 clients at once. */
final class ChurnBench implements Benchmark {
  private static final int CLIENTS = 16;

  @Override
  public String name() {
    return "churn";
  }

  @Override
  public List<Figure> run() throws Exception {
    try (Dsec dsec = Dsec.start()) {
      cycles(dsec, 20);
      double rate = cycles(dsec, 20);
      return List.of(Figure.of("churn", "cycles-per-second", rate, "1/s").atLeast(150));
    }
  }

  private static double cycles(Dsec dsec, int seconds) throws Exception {
    ExecSpec exec = ExecSpec.of(List.of("true"));
    SandboxRequest request = SandboxRequest.of("host").cpu(0.5).memory(64 << 20).disk(64 << 20);
    AtomicLong done = new AtomicLong();
    long start = System.nanoTime();
    long end = start + seconds * 1_000_000_000L;
    try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Boolean>> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(
            () -> {
              while (System.nanoTime() < end) {
                SandboxId id = dsec.create(request);
                if (!dsec.client().sandboxes().exec(id, exec).ending().succeeded()) {
                  throw new IllegalStateException("exec of true failed in " + id);
                }
                dsec.delete(id);
                done.incrementAndGet();
              }
              return true;
            });
      }
      for (Future<Boolean> client : pool.invokeAll(clients)) {
        client.get();
      }
    }
    return done.get() * 1e9 / (System.nanoTime() - start);
  }
}
