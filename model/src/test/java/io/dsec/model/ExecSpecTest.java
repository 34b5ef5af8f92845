// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class ExecSpecTest {
  @Test
  void badCommandsAreRefusedByFieldBeforeAnythingRuns() {
    refused("argv", () -> ExecSpec.of(List.of()));
    refused("argv", () -> ExecSpec.of(List.of("")));
    refused("argv", () -> ExecSpec.of(List.of("echo", "a\0b")));
    refused("argv", () -> ExecSpec.of(List.of("echo", "x".repeat(1 << 20))));
    refused("timeout", () -> ExecSpec.of(List.of("true")).withTimeout(Duration.ofSeconds(-1)));
    refused("timeout", () -> ExecSpec.of(List.of("true")).withTimeout(Duration.ZERO));
  }

  @Test
  void anArgumentJustBelowTheKernelsBoundIsTaken() {
    String longest = "x".repeat((128 << 10) - 1);
    assertThat(ExecSpec.of(List.of("echo", longest)).argv()).contains(longest);
  }

  @Test
  void argumentsAreBoundedTogetherToo() {
    refused("argv", () -> ExecSpec.of(java.util.Collections.nCopies(40, "x".repeat(100_000))));
  }

  private static void refused(String field, Supplier<?> make) {
    assertThatThrownBy(make::get)
        .isInstanceOfSatisfying(
            DsecException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.INVALID_REQUEST);
              assertThat(e.field()).contains(field);
            });
  }
}
