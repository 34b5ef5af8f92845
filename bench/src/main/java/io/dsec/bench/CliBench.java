// SPDX-License-Identifier: Apache-2.0
package io.dsec.bench;

import io.dsec.client.SandboxRequest;
import java.util.List;

/** How the command feels: {@code dsec sandbox ls} against a server that runs. */
final class CliBench implements Benchmark {
  @Override
  public String name() {
    return "cli";
  }

  @Override
  public List<Figure> run() throws Exception {
    try (Dsec dsec = Dsec.start()) {
      for (int i = 0; i < 10; i++) {
        dsec.create(SandboxRequest.of("host"));
      }
      Sample listing = Sample.of(3, 20, () -> Peers.check(dsec.command("sandbox", "ls")));
      return List.of(Figure.of("cli", "sandbox-ls-p50", listing.p50(), "ms").atMost(200));
    }
  }
}
