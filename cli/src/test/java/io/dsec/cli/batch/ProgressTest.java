// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.cli.term.Style;
import io.dsec.client.Batch;
import io.dsec.client.TaskResult;
import io.dsec.client.Timings;
import io.dsec.link.Json;
import io.dsec.model.Ending;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ProgressTest {
  private static final Instant T0 = Instant.EPOCH;
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final PrintStream err = new PrintStream(bytes, true, StandardCharsets.UTF_8);
  private final Tally tally = new Tally();
  private final Batch batch =
      new Batch(
          "b-1",
          "n",
          "running",
          null,
          10,
          Map.of("running", 3, "pending", 4, "started", 1),
          Map.of(),
          T0,
          null);

  ProgressTest() {
    for (int i = 0; i < 2; i++) {
      tally.add(
          new TaskResult(
              i + 1L,
              "t" + i,
              null,
              null,
              1,
              new Ending.Exited(0),
              Set.of(),
              Timings.NONE,
              Json.mapper().nullNode()));
    }
  }

  private String text() {
    String text = bytes.toString(StandardCharsets.UTF_8);
    bytes.reset();
    return text;
  }

  @Test
  void withoutATerminalALineComesEveryFewSeconds() {
    Progress progress = new Progress(err, false, new Style(false), 80, T0);
    progress.show(batch, tally, T0.plusSeconds(4));
    assertThat(text()).isEmpty();
    progress.show(batch, tally, T0.plusSeconds(5));
    assertThat(text())
        .isEqualTo("2/10 ended, 3 running, 5 queued, 0.4/s, 20.0s left  (2 exited 0)\n");
  }

  @Test
  void onATerminalTheBlockIsDrawnOverItself() {
    Progress progress = new Progress(err, true, new Style(false), 60, T0);
    progress.show(batch, tally, T0.plusSeconds(1));
    String first = text();
    assertThat(first).contains("[########-").doesNotContain("\u001b");
    assertThat(first.lines()).allSatisfy(line -> assertThat(line).hasSizeLessThan(60));
    progress.show(batch, tally, T0.plusSeconds(2));
    assertThat(text()).startsWith("\u001b[3A\r\u001b[J[###");
    progress.clear();
    assertThat(text()).isEqualTo("\u001b[3A\r\u001b[J");
  }
}
