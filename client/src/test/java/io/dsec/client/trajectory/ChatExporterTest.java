// SPDX-License-Identifier: Apache-2.0
package io.dsec.client.trajectory;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.link.Json;
import org.junit.jupiter.api.Test;

final class ChatExporterTest {
  @Test
  void sample() {
    assertThat(Json.mapper().readTree(Sample.exported(TrajectoryFormat.CHAT)))
        .isEqualTo(Json.mapper().readTree(Sample.text("sample.chat.json")));
  }
}
