// SPDX-License-Identifier: Apache-2.0
package io.dsec.bench;

import io.dsec.client.SandboxRequest;
import io.dsec.link.ExecListener;
import io.dsec.model.ExecSpec;
import io.dsec.model.SandboxId;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** 1 GiB of stdout, streamed to a client, beside the same program on a local pipe. */
final class StdoutBench implements Benchmark {
  private static final long BYTES = 1L << 30;
  private static final List<String> PROGRAM =
      List.of("head", "-c", Long.toString(BYTES), "/dev/zero");

  @Override
  public String name() {
    return "stdout";
  }

  @Override
  public List<Figure> run() throws Exception {
    try (Dsec dsec = Dsec.start()) {
      SandboxId box = dsec.create(SandboxRequest.of("host").cpu(2));
      double[] dsecRates = new double[5];
      double[] pipeRates = new double[5];
      for (int i = -1; i < 5; i++) {
        double rate = stream(dsec, box) / 1e6;
        double peer = Peers.pipe(PROGRAM, BYTES) / 1e6;
        if (i >= 0) {
          dsecRates[i] = rate;
          pipeRates[i] = peer;
        }
      }
      Arrays.sort(dsecRates);
      Arrays.sort(pipeRates);
      return List.of(
          Figure.of("stdout", "throughput", dsecRates[2], "MB/s")
              .atLeast(0.3, "local pipe", pipeRates[2]));
    }
  }

  private static double stream(Dsec dsec, SandboxId box) {
    AtomicLong got = new AtomicLong();
    long start = System.nanoTime();
    dsec.client()
        .sandboxes()
        .exec(
            box,
            ExecSpec.of(PROGRAM),
            new ExecListener() {
              @Override
              public void started(String id) {}

              @Override
              public void output(Stream stream, long offset, ByteBuffer data) {
                got.addAndGet(data.remaining());
              }
            });
    if (got.get() != BYTES) {
      throw new IllegalStateException("got " + got + " of " + BYTES + " bytes");
    }
    return BYTES * 1e9 / (System.nanoTime() - start);
  }
}
