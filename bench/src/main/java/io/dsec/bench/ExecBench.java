// SPDX-License-Identifier: Apache-2.0
package io.dsec.bench;

import java.util.List;

/** An exec beside {@code runc exec}. */
final class ExecBench implements Benchmark {
  private static final int WARMUP = 1_000;
  private static final int TURNS = 20;
  private static final int TURN = 50;
  private static final int PEERS = 10;

  @Override
  public String name() {
    return "exec";
  }

  @Override
  public List<Figure> run() throws Exception {
    try (Dsec dsec = Dsec.start();
        Wire wire = dsec.wire()) {
      return List.of(besideRunc(wire));
    }
  }

  /** In turns, so that a noisy minute hits both. */
  private static Figure besideRunc(Wire wire) throws Exception {
    String box = wire.create("{}");
    double[] ours = new double[TURNS * TURN];
    double[] peer = new double[TURNS * PEERS];
    try (Peers.Runc runc = new Peers.Runc()) {
      runc.exec();
      for (int i = 0; i < WARMUP; i++) {
        wire.exec(box);
      }
      for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < TURN; i++) {
          long start = System.nanoTime();
          wire.exec(box);
          ours[turn * TURN + i] = (System.nanoTime() - start) / 1e6;
        }
        for (int i = 0; i < PEERS; i++) {
          long start = System.nanoTime();
          runc.exec();
          peer[turn * PEERS + i] = (System.nanoTime() - start) / 1e6;
        }
      }
    }
    wire.delete(box);
    return Figure.of("exec", "true-p50", Sample.of(ours).p50(), "ms")
        .atMost(0.25, "runc exec true", Sample.of(peer).p50());
  }
}
