// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SandboxStateTest {
  @ParameterizedTest
  @EnumSource(
      value = SandboxState.class,
      names = {"GONE", "FAILED"},
      mode = EnumSource.Mode.EXCLUDE)
  void everyLivingStateCanFail(SandboxState state) {
    assertThat(state.mayBecome(SandboxState.FAILED)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(SandboxState.class)
  void nothingFollowsGoneAndNothingRepeats(SandboxState state) {
    assertThat(SandboxState.GONE.mayBecome(state)).isFalse();
    assertThat(state.mayBecome(state)).isFalse();
  }

  @Test
  void aFailedSandboxOnlyGoes() {
    for (SandboxState next : SandboxState.values()) {
      assertThat(SandboxState.FAILED.mayBecome(next)).isEqualTo(next == SandboxState.GONE);
    }
  }

  @Test
  void pausedAndRunningAlternate() {
    assertThat(SandboxState.RUNNING.mayBecome(SandboxState.PAUSED)).isTrue();
    assertThat(SandboxState.PAUSED.mayBecome(SandboxState.RUNNING)).isTrue();
    assertThat(SandboxState.PREPARING.mayBecome(SandboxState.PAUSED)).isFalse();
  }
}
