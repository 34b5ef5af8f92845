// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.term;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FiguresTest {
  @ParameterizedTest
  @CsvSource({
    "PT0.00035S, 350µs",
    "PT0.0042S, 4.2ms",
    "PT0.42S, 420ms",
    "PT1.534S, 1.53s",
    "PT42.04S, 42.0s",
    "PT125S, 2m05s",
    "PT3H7M, 3h07m",
    "P2DT4H, 2d4h"
  })
  void durations(Duration length, String text) {
    assertThat(Figures.duration(length)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({"512, 512B", "536870912, 512Mi", "1610612736, 1.5Gi"})
  void sizes(long bytes, String text) {
    assertThat(Figures.size(bytes)).isEqualTo(text);
  }
}
