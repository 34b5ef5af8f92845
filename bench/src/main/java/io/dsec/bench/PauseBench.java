// SPDX-License-Identifier: Apache-2.0
package io.dsec.bench;

import io.dsec.client.Sandbox;
import io.dsec.client.SandboxRequest;
import io.dsec.model.ExecSpec;
import io.dsec.model.SandboxId;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Pause and resume of a sandbox with a busy process, and forks of one with some files. */
final class PauseBench implements Benchmark {
  private static final int WARMUP = 100;
  private static final int RUNS = 300;
  private static final int FORKS = 16;

  /** A server gets faster over its first few hundred sandboxes. */
  private static final int FORK_WARMUP = 12;

  private static final int FORK_RUNS = 11;

  @Override
  public String name() {
    return "pause";
  }

  @Override
  public List<Figure> run() throws Exception {
    try (Dsec dsec = Dsec.start()) {
      SandboxId box = dsec.create(SandboxRequest.of("host"));
      dsec.client()
          .sandboxes()
          .exec(
              box,
              ExecSpec.of(
                  List.of(
                      "sh",
                      "-c",
                      "for i in $(seq 200); do echo $i > /tmp/f$i; done; (while :; do :; done) &")));
      Sample cycle =
          Sample.of(
              WARMUP,
              RUNS,
              () -> {
                dsec.client().sandboxes().pause(box);
                dsec.client().sandboxes().resume(box);
              });
      double[] forks = new double[FORK_RUNS];
      for (int i = -FORK_WARMUP; i < FORK_RUNS; i++) {
        long begin = System.nanoTime();
        List<Sandbox> children =
            dsec.client().sandboxes().fork(box, FORKS, Map.of(), Optional.empty());
        if (i >= 0) {
          forks[i] = (System.nanoTime() - begin) / 1e6;
        }
        children.forEach(child -> dsec.delete(child.id()));
      }
      return List.of(
          Figure.of("pause", "cycle-p50", cycle.p50(), "ms").atMost(20),
          Figure.of("pause", "cycle-p99", cycle.p99(), "ms"),
          Figure.of("pause", "fork-16", Sample.of(forks).p50(), "ms").atMost(FORKS * 15));
    }
  }
}
