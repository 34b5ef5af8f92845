// SPDX-License-Identifier: Apache-2.0
package io.dsec.bench;

import io.dsec.client.SandboxRequest;
import io.dsec.model.ExecSpec;
import io.dsec.model.SandboxId;
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
    try (Dsec dsec = Dsec.start()) {
      return List.of(besideRunc(dsec));
    }
  }

  /** In turns, so that a noisy minute hits both. */
  private static Figure besideRunc(Dsec dsec) throws Exception {
    SandboxId box = dsec.create(SandboxRequest.of("host"));
    ExecSpec exec = ExecSpec.of(List.of("true"));
    double[] ours = new double[TURNS * TURN];
    double[] peer = new double[TURNS * PEERS];
    try (Peers.Runc runc = new Peers.Runc()) {
      runc.exec();
      for (int i = 0; i < WARMUP; i++) {
        dsec.client().sandboxes().exec(box, exec);
      }
      for (int turn = 0; turn < TURNS; turn++) {
        for (int i = 0; i < TURN; i++) {
          long start = System.nanoTime();
          dsec.client().sandboxes().exec(box, exec);
          ours[turn * TURN + i] = (System.nanoTime() - start) / 1e6;
        }
        for (int i = 0; i < PEERS; i++) {
          long start = System.nanoTime();
          runc.exec();
          peer[turn * PEERS + i] = (System.nanoTime() - start) / 1e6;
        }
      }
    }
    dsec.delete(box);
    return Figure.of("exec", "true-p50", Sample.of(ours).p50(), "ms")
        .atMost(0.25, "runc exec true", Sample.of(peer).p50());
  }
}
