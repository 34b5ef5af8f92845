// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.node.metrics.NodeMetrics;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TeardownTest {
  private final ExecutorService threads = Executors.newFixedThreadPool(4);
  private final NodeMetrics metrics = new NodeMetrics(new PrometheusRegistry());
  private final List<String> undone = new CopyOnWriteArrayList<>();

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  private Teardown of(SetupStep... steps) {
    return new Teardown(List.of(steps), threads, metrics, Duration.ofMillis(100));
  }

  private SetupStep step(String name, Runnable undo) {
    return new SetupStep() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public void run() {}

      @Override
      public void undo() {
        undone.add(name);
        undo.run();
      }
    };
  }

  @Test
  void theLastStepIsUndoneFirst() {
    Teardown teardown = of(step("a", () -> {}), step("b", () -> {}), step("c", () -> {}));
    assertThat(teardown.run()).isEmpty();
    assertThat(undone).containsExactly("c", "b", "a");
  }

  @Test
  void oneFailureDoesNotKeepTheOthersFromRunning() {
    AtomicFailure failure = new AtomicFailure();
    Teardown teardown = of(step("a", () -> {}), step("b", failure), step("c", () -> {}));
    assertThat(teardown.run()).singleElement().asString().contains("b: ", "no luck");
    assertThat(undone).containsExactly("c", "b", "a");
    failure.over = true;
    assertThat(teardown.run()).isEmpty();
  }

  @Test
  void f50AStepThatHangsIsLeftToItselfAndNotBegunTwice() throws Exception {
    CountDownLatch hang = new CountDownLatch(1);
    Teardown teardown =
        of(
            step("a", () -> {}),
            step(
                "b",
                () -> {
                  try {
                    hang.await();
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                }));
    assertThat(teardown.run()).singleElement().asString().contains("b: hangs");
    assertThat(teardown.run()).singleElement().asString().contains("b: still hangs");
    assertThat(undone).containsExactly("b", "a", "a");
    hang.countDown();
    org.awaitility.Awaitility.await().until(() -> teardown.run().isEmpty());
  }

  private static final class AtomicFailure implements Runnable {
    private volatile boolean over;

    @Override
    public void run() {
      if (!over) {
        throw new IllegalStateException("no luck");
      }
    }
  }
}
