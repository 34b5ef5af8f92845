// SPDX-License-Identifier: Apache-2.0
package io.dsec.bench;

import java.util.List;

/** Create, time to the first exec's result, and exec, one at a time. */
final class StartBench implements Benchmark {
  private static final int RUNS = 200;

  /**
   * A server gets faster over its first few hundred sandboxes; the first hundred are told apart.
   */
  private static final int WARMUP = 600;

  private static final int FIRST = 100;

  private static final int TURN = 20;

  @Override
  public String name() {
    return "start";
  }

  @Override
  public List<Figure> run() throws Exception {
    try (Dsec dsec = Dsec.start();
        Wire wire = dsec.wire();
        Peers.Runc runc = new Peers.Runc()) {
      double[] create = new double[RUNS];
      double[] tti = new double[RUNS];
      double[] peer = new double[RUNS];
      double[] first = new double[FIRST];
      for (int i = 0; i < WARMUP; i++) {
        long start = System.nanoTime();
        String id = wire.create("{}");
        if (i < FIRST) {
          first[i] = (System.nanoTime() - start) / 1e6;
        }
        wire.exec(id);
        wire.delete(id);
      }
      // In turns, so that a noisy minute hits DSec and its peer alike, and of some length, so that
      // neither pays for what the kernel still cleans up after the other.
      for (int i = 0; i < RUNS; i++) {
        long start = System.nanoTime();
        String id = wire.create("{}");
        long created = System.nanoTime();
        wire.exec(id);
        long answered = System.nanoTime();
        wire.delete(id);
        create[i] = (created - start) / 1e6;
        tti[i] = (answered - start) / 1e6;
        if (i % TURN == TURN - 1) {
          for (int r = i - TURN + 1; r <= i; r++) {
            long other = System.nanoTime();
            runc.run();
            peer[r] = (System.nanoTime() - other) / 1e6;
          }
        }
      }
      String box = wire.create("{}");
      Sample execs = Sample.of(WARMUP, 1000, () -> wire.exec(box));
      Sample bare = Sample.of(20, 200, Peers::forkExec);
      double runcP50 = Sample.of(peer).p50();
      return List.of(
          Figure.of("start", "create-p50", Sample.of(create).p50(), "ms").atMost(8),
          Figure.of("start", "create-p99", Sample.of(create).p99(), "ms").atMost(40),
          Figure.of("start", "create-first-100-p50", Sample.of(first).p50(), "ms"),
          Figure.of("start", "tti-p50", Sample.of(tti).p50(), "ms")
              .atMost(0.4, "runc run true", runcP50),
          Figure.of("start", "exec-true-p50", execs.p50(), "ms").atMost(3),
          Figure.of("start", "exec-true-p99", execs.p99(), "ms").atMost(10),
          Figure.of("start", "bare-fork-exec-p50", bare.p50(), "ms"));
    }
  }
}
