// SPDX-License-Identifier: Apache-2.0
package io.dsec.bench;

import io.dsec.client.SandboxRequest;
import io.dsec.model.ExecSpec;
import io.dsec.model.RecordMode;
import io.dsec.model.SandboxId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What recording costs: the same work in a recorded and an unrecorded sandbox, turn by turn. */
final class RecordBench implements Benchmark {
  private static final ExecSpec CHATTY =
      ExecSpec.of(
          List.of(
              "sh",
              "-c",
              "i=0; while [ $i -lt 20000 ]; do echo line $i of a chatty program; i=$((i+1)); done"));
  private static final ExecSpec COMPILE =
      ExecSpec.of(
          List.of(
              "sh",
              "-c",
              "i=0; while [ $i -lt 400 ]; do echo \"int f$i(int x) { return x * $i + (x >> 3); }\"; i=$((i+1)); done > /tmp/m.c; gcc -O2 -c -v -o /tmp/m.o /tmp/m.c"));

  @Override
  public String name() {
    return "record";
  }

  @Override
  public List<Figure> run() throws Exception {
    try (Dsec dsec = Dsec.start()) {
      SandboxId on = dsec.create(SandboxRequest.of("host").cpu(2).record(RecordMode.ON));
      SandboxId off = dsec.create(SandboxRequest.of("host").cpu(2).record(RecordMode.OFF));
      List<Figure> figures = new ArrayList<>();
      figures.add(slower(dsec, "chatty", on, off, CHATTY, 25));
      if (Files.isExecutable(Path.of("/usr/bin/gcc"))) {
        figures.add(slower(dsec, "compile", on, off, COMPILE, 15));
      } else {
        System.err.println("bench: record/compile SKIPPED, no /usr/bin/gcc");
      }
      ExecSpec nothing = ExecSpec.of(List.of("true"));
      Sample[] pair = pair(dsec, on, off, nothing, 500);
      figures.add(
          Figure.of("record", "exec-true-extra", pair[0].p50() - pair[1].p50(), "ms").atMost(0.2));
      return figures;
    }
  }

  private static Figure slower(
      Dsec dsec, String name, SandboxId on, SandboxId off, ExecSpec exec, int runs)
      throws Exception {
    Sample[] pair = pair(dsec, on, off, exec, runs);
    return Figure.of("record", name, pair[0].p50(), "ms").atMost(1.05, "record off", pair[1].p50());
  }

  private static Sample[] pair(Dsec dsec, SandboxId on, SandboxId off, ExecSpec exec, int runs)
      throws Exception {
    double[] recorded = new double[runs];
    double[] bare = new double[runs];
    for (int i = -runs / 5; i < runs; i++) {
      double a = once(dsec, on, exec);
      double b = once(dsec, off, exec);
      if (i >= 0) {
        recorded[i] = a;
        bare[i] = b;
      }
    }
    return new Sample[] {Sample.of(recorded), Sample.of(bare)};
  }

  private static double once(Dsec dsec, SandboxId box, ExecSpec exec) {
    long start = System.nanoTime();
    if (!dsec.client().sandboxes().exec(box, exec).ending().succeeded()) {
      throw new IllegalStateException("failed: " + exec.argv());
    }
    return (System.nanoTime() - start) / 1e6;
  }
}
