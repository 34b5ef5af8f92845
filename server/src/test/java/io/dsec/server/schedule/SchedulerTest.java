// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.model.Guarantee;
import io.dsec.model.Priority;
import io.dsec.model.SandboxId;
import io.dsec.model.Tier;
import io.dsec.server.admit.AdmissionSettings;
import io.dsec.server.queue.WaitingLine;
import java.time.Clock;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens to work that is withdrawn at the worst moment: while the scheduler looks at it. */
@Timeout(30)
final class SchedulerTest {
  private final WaitingLine<Work> line = new WaitingLine<>(10);
  private final CountDownLatch withdrawn = new CountDownLatch(1);
  private final NodeDirectory nodes = new NodeDirectory(Clock.systemUTC());

  private static final class Work implements Waiting {
    private final SandboxId id = SandboxId.random(new Random(1));
    private volatile boolean wanted = true;

    @Override
    public SandboxId id() {
      return id;
    }

    @Override
    public String tenant() {
      return "t";
    }

    @Override
    public Priority priority() {
      return Priority.ONLINE;
    }

    @Override
    public Guarantee demand() {
      return new Guarantee(1, 1);
    }

    @Override
    public Tier tier() {
      return Tier.CONTAINER;
    }

    @Override
    public boolean wanted() {
      return wanted;
    }
  }

  private final class Withdrawals implements Starter<Work> {
    @Override
    public void waits(Work work, String why) {}

    @Override
    public void withdrawn(Work work) {
      withdrawn.countDown();
    }

    @Override
    public void start(Work work, Member node) {
      throw new AssertionError("started on " + node);
    }
  }

  @Test
  void workWithdrawnWhileNoNodeIsFoundForItLeavesTheLine() throws InterruptedException {
    Work work = new Work();
    Placer placer =
        (_, _, _) -> {
          work.wanted = false;
          assertThat(line.remove(work)).as("the scheduler holds it").isFalse();
          return new Choice.Nowhere("full");
        };
    try (Scheduler<Work> scheduler =
        new Scheduler<>(
            line, placer, new Ledger(nodes), nodes, new Withdrawals(), AdmissionSettings.DEFAULT)) {
      scheduler.start();
      line.add(work.priority(), work.tenant(), work);
      assertThat(withdrawn.await(10, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(line.size()).isZero();
  }
}
