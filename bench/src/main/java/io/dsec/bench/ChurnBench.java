// SPDX-License-Identifier: Apache-2.0
package io.dsec.bench;

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
  private static final String RESOURCES = "{\"cpu\":0.5,\"memory\":\"64Mi\",\"disk\":\"64Mi\"}";

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
    AtomicLong done = new AtomicLong();
    long start = System.nanoTime();
    long end = start + seconds * 1_000_000_000L;
    try (ExecutorService pool = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Callable<Boolean>> clients = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(
            () -> {
              try (Wire wire = dsec.wire()) {
                while (System.nanoTime() < end) {
                  String id = wire.create(RESOURCES);
                  wire.exec(id);
                  wire.delete(id);
                  done.incrementAndGet();
                }
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
