// SPDX-License-Identifier: Apache-2.0
package io.dsec.client.trajectory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class AsciicastExporterTest {
  @Test
  void sample() {
    assertThat(Sample.exported(TrajectoryFormat.ASCIICAST)).isEqualTo(Sample.text("sample.cast"));
  }
}
