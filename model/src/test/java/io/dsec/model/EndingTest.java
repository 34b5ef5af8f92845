// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EndingTest {
  @Test
  void whatTheProgramDidIsNeverAFault() {
    assertThat(new Ending.Exited(137).isFault()).isFalse();
    assertThat(new Ending.Signaled(9).isFault()).isFalse();
    assertThat(new Ending.Timeout().isFault()).isFalse();
    assertThat(new Ending.Oom().isFault()).isFalse();
    assertThat(new Ending.Killed(Reason.CANCELLED).isFault()).isFalse();
    assertThat(new Ending.NotStarted(Reason.PROGRAM_NOT_FOUND, "").isFault()).isFalse();
  }

  @Test
  void whatThePlatformDidAlwaysIs() {
    assertThat(new Ending.Killed(Reason.RECLAIMED).isFault()).isTrue();
    assertThat(new Ending.Killed(Reason.NODE_STOPPED).isFault()).isTrue();
    assertThat(new Ending.Lost(Reason.NODE_LOST).isFault()).isTrue();
    assertThat(new Ending.NotStarted(Reason.EXEC_RESOURCES, "").isFault()).isTrue();
  }

  @Test
  void fiveBadEndingsStayFiveDifferentThings() {
    assertThat(new Ending.Exited(137)).isNotEqualTo(new Ending.Signaled(9));
    assertThat(new Ending.Exited(124).kind()).isEqualTo("exited");
    assertThat(new Ending.Timeout().kind()).isEqualTo("timeout");
    assertThat(new Ending.Oom().kind()).isEqualTo("oom");
    assertThat(new Ending.Exited(0).succeeded()).isTrue();
    assertThat(new Ending.Exited(1).succeeded()).isFalse();
  }
}
