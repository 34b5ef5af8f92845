// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class BlockingCallsTest {
  private final BlockingCalls calls = new BlockingCalls(1);

  @AfterEach
  void close() {
    calls.close();
  }

  @Test
  void aFailureComesBackAsItWasThrown() {
    IllegalStateException failure = new IllegalStateException("x");
    assertThatThrownBy(
            () ->
                calls.run(
                    () -> {
                      throw failure;
                    }))
        .isSameAs(failure);
    assertThat(calls.get(() -> Thread.currentThread().isVirtual())).isFalse();
  }

  @Test
  void anInterruptWaitsUntilTheCallIsOver() throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    CompletableFuture<Boolean> interruptedAfter = new CompletableFuture<>();
    Thread caller =
        Thread.ofVirtual()
            .start(
                () -> {
                  calls.run(
                      () -> {
                        started.countDown();
                        awaitUninterruptibly(release);
                      });
                  interruptedAfter.complete(Thread.currentThread().isInterrupted());
                });
    started.await();
    caller.interrupt();
    assertThat(interruptedAfter).isNotDone();
    release.countDown();
    assertThat(interruptedAfter.get()).isTrue();
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
