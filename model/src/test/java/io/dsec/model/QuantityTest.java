// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantityTest {
  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "1024, 1024",
    "512Mi, 536870912",
    "1Gi, 1073741824",
    "1.5Gi, 1610612736",
    "64MiB, 67108864",
    "10M, 10000000",
    "2 Ki, 2048"
  })
  void sizesAreReadAsBytes(String text, long bytes) {
    assertThat(Quantity.size("memory", text)).isEqualTo(bytes);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-1", "12Q", "Mi", "1e9", "0x10", "99999999999Pi", "1 2", "NaN"})
  void badSizesNameTheFieldAndTheValue(String text) {
    assertThatThrownBy(() -> Quantity.size("resources.memory", text))
        .isInstanceOfSatisfying(
            DsecException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
              assertThat(e.field()).contains("resources.memory");
              assertThat(e.message()).contains("\"" + text + "\"");
            });
  }

  @ParameterizedTest
  @CsvSource({"30s, 30000", "5m, 300000", "250ms, 250", "1.5s, 1500", "2h, 7200000", "45, 45000"})
  void durationsAreRead(String text, long millis) {
    assertThat(Quantity.duration("ttl", text)).isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "-1s", "5 minutes", "1w", "s", "99999999999999d"})
  void badDurationsAreRefused(String text) {
    assertThatThrownBy(() -> Quantity.duration("ttl", text))
        .isInstanceOfSatisfying(DsecException.class, e -> assertThat(e.field()).contains("ttl"));
  }
}
