// SPDX-License-Identifier: Apache-2.0
package io.dsec.client.trajectory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class JsonlExporterTest {
  @Test
  void sample() {
    assertThat(Sample.exported(TrajectoryFormat.JSONL)).isEqualTo(Sample.text("sample.jsonl"));
  }
}
