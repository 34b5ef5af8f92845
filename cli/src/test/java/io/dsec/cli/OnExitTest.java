// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OnExitTest {
  @Test
  void undoesTheNewestFirstAndAllOfIt() {
    OnExit onExit = new OnExit();
    List<String> done = new ArrayList<>();
    OnExit.Step _ = onExit.push(() -> done.add("server"));
    OnExit.Step _ =
        onExit.push(
            () -> {
              throw new IllegalStateException("cannot");
            });
    OnExit.Step finished = onExit.push(() -> done.add("finished"));
    OnExit.Step _ = onExit.push(() -> done.add("batch"));
    finished.close();
    onExit.run();
    onExit.run();
    assertThat(done).containsExactly("batch", "server");
  }

  @Test
  void anEndWithNothingToUndoIsNoInterruption() {
    OnExit onExit = new OnExit();
    onExit.push(() -> {}).close();
    onExit.run();
    assertThat(onExit.interrupted()).isFalse();
  }
}
