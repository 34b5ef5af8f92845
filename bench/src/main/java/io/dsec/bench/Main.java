// SPDX-License-Identifier: Apache-2.0
package io.dsec.bench;

import java.util.ArrayList;
import java.util.List;

/** {@code ./dev bench [NAME…] [--json]}. */
public final class Main {
  private static final List<Benchmark> ALL =
      List.of(
          new StartBench(),
          new ExecBench(),
          new ChurnBench(),
          new StdoutBench(),
          new IdleBench(),
          new RecordBench(),
          new CliBench(),
          new SdkBench(),
          new TerminalBench(),
          new PauseBench(),
          new FilesBench());

  private Main() {}

  public static void main(String[] args) throws Exception {
    List<String> names = new ArrayList<>(List.of(args));
    boolean json = names.remove("--json");
    List<String> known = ALL.stream().map(Benchmark::name).toList();
    for (String name : names) {
      if (!known.contains(name)) {
        System.err.println("bench: no benchmark is called " + name + "; there are " + known);
        System.exit(2);
      }
    }
    boolean holds = true;
    for (Benchmark benchmark : ALL) {
      if (names.isEmpty() || names.contains(benchmark.name())) {
        System.err.println("bench: " + benchmark.name());
        for (Figure figure : benchmark.run()) {
          System.out.println(json ? figure.json() : figure.row());
          holds &= figure.holds();
        }
      }
    }
    System.exit(holds ? 0 : 1);
  }
}
