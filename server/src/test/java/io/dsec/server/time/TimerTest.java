// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class TimerTest {
  @Test
  void anActionThatBlocksHoldsUpNoOther() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    CountDownLatch others = new CountDownLatch(3);
    try (Timer timer = new Timer()) {
      Future<?> _ =
          timer.after(
              Duration.ZERO,
              () -> {
                try {
                  never.await();
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      Future<?> _ = timer.every(Duration.ofMillis(1), others::countDown);
      others.await();
      assertThat(never.getCount()).isOne();
    } finally {
      never.countDown();
    }
  }

  @Test
  void oneThatFailsIsRepeatedAllTheSame() throws Exception {
    CountDownLatch runs = new CountDownLatch(3);
    try (Timer timer = new Timer()) {
      Future<?> _ =
          timer.every(
              Duration.ofMillis(1),
              () -> {
                runs.countDown();
                throw new IllegalStateException("as asked");
              });
      runs.await();
    }
  }
}
