// SPDX-License-Identifier: Apache-2.0
package io.dsec.client.trajectory;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.link.Json;
import org.junit.jupiter.api.Test;

final class OtlpExporterTest {
  @Test
  void sample() {
    assertThat(Json.mapper().readTree(Sample.exported(TrajectoryFormat.OTLP)))
        .isEqualTo(Json.mapper().readTree(Sample.text("sample.otlp.json")));
  }
}
