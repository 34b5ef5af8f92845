// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class SystemTimersTest {
  @Test
  void aTaskThatBlocksHoldsUpNoOther() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch second = new CountDownLatch(1);
    try (SystemTimers timers = new SystemTimers()) {
      var _ = timers.after(Duration.ZERO, () -> await(never));
      var _ = timers.after(Duration.ofMillis(1), second::countDown);
      assertThat(second.await(10, TimeUnit.SECONDS)).isTrue();
    } finally {
      never.countDown();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
