// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** F61: a node that is killed in the middle of pauses. */
class PauseCrashTest {
  @TempDir Path temp;

  @BeforeEach
  void root() {
    Assumptions.assumeTrue("root".equals(System.getProperty("user.name")), "SKIPPED: needs root");
  }

  @Test
  void f61AKilledNodeLeavesEachSandboxRunningOrPausedAndUsable() throws Exception {
    HostState before = HostState.now();
    Path data = temp.resolve("d");
    DsecProcess dsec = DsecProcess.start(data);
    Api first = dsec.api();
    List<Box> boxes = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      Box box = first.create(Map.of("resources", Map.of("memory", "64Mi")));
      box.sh("(i=0; while :; do i=$((i+1)); echo $i > /tmp/n; done) & true");
      boxes.add(box);
    }
    Box settled = boxes.getFirst();
    assertThat(first.post("/v1/sandboxes/" + settled.id() + "/pause", "").status()).isEqualTo(200);
    CountDownLatch turning = new CountDownLatch(boxes.size() - 1);
    for (Box box : boxes.subList(1, boxes.size())) {
      Thread.startVirtualThread(() -> turnForEver(first, box, turning));
    }
    assertThat(turning.await(30, TimeUnit.SECONDS)).isTrue();
    dsec.kill9();

    try (DsecProcess again = DsecProcess.start(data)) {
      Api api = again.api();
      assertThat(state(api, settled)).isEqualTo("paused");
      for (Box old : boxes) {
        Box box = new Box(api, old.id());
        String state = state(api, box);
        assertThat(state).isIn("running", "paused");
        if (state.equals("paused")) {
          assertThat(api.post("/v1/sandboxes/" + box.id() + "/resume", "").status()).isEqualTo(200);
        }
        Ran moves =
            box.sh(
                "a=$(cat /tmp/n); for i in $(seq 100); do sleep 0.05;"
                    + " b=$(cat /tmp/n); [ \"$a\" != \"$b\" ] && echo moves && exit; done",
                "20s");
        assertThat(moves.stdout()).as("what ran before runs again").isEqualTo("moves\n");
        assertThat(box.sh("sleep 60", "1s").kind()).as("time limits work").isEqualTo("timeout");
        box.close();
      }
    }
    HostState.assertNothingLeft(before, data);
  }

  private static void turnForEver(Api api, Box box, CountDownLatch turning) {
    try {
      for (int i = 0; ; i++) {
        api.post("/v1/sandboxes/" + box.id() + "/pause", "");
        api.post("/v1/sandboxes/" + box.id() + "/resume", "");
        if (i == 3) {
          turning.countDown();
        }
      }
    } catch (UncheckedIOException _) {
      // the server was killed, as it should be
    }
  }

  private static String state(Api api, Box box) {
    JsonNode shown = api.get("/v1/sandboxes/" + box.id()).json();
    return shown.path("state").asString("");
  }
}
