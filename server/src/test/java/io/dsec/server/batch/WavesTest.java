// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.batch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Scenarios on virtual time: when which task starts. */
final class WavesTest {
  private static final Instant T0 = Instant.EPOCH;
  private static final Pacing WAVES =
      new Pacing(Optional.of(12), 5, Duration.ofSeconds(2), false, 64);

  private static Progress of(Pacing pacing, int tasks, int[]... after) {
    List<int @Nullable []> edges = new ArrayList<>();
    for (int i = 0; i < tasks; i++) {
      edges.add(i < after.length ? after[i] : null);
    }
    return new Progress(
        Graph.of(edges, IntStream.range(0, tasks).mapToObj(Integer::toString).toList()),
        pacing,
        List.of());
  }

  private static void end(Progress progress, List<Integer> tasks) {
    tasks.forEach(t -> assertThat(progress.ended(t, "exited", true, false)).isTrue());
  }

  @Test
  void microBatchesStartApartAndWavesInSeries() {
    Progress progress = of(WAVES, 20);
    List<Integer> first = progress.due(T0, 1).start();
    assertThat(first).containsExactly(0, 1, 2, 3, 4);
    assertThat(progress.due(T0.plusMillis(1999), 1).start()).isEmpty();
    assertThat(progress.wake(T0)).contains(T0.plusSeconds(2));
    List<Integer> second = progress.due(T0.plusSeconds(2), 1).start();
    assertThat(second).hasSize(5);
    List<Integer> third = progress.due(T0.plusSeconds(4), 1).start();
    assertThat(third).as("the wave has 12").containsExactly(10, 11);
    end(progress, first);
    end(progress, second);
    assertThat(progress.due(T0.plusSeconds(9), 1).start()).as("two still run").isEmpty();
    end(progress, third);
    assertThat(progress.due(T0.plusSeconds(9), 1).start()).containsExactly(12, 13, 14, 15, 16);
  }

  @Test
  void theLimitIsPerNode() {
    assertThat(of(WAVES, 20).due(T0, 2).start()).hasSize(10);
  }

  @Test
  void dependentsAreInALaterWave() {
    Progress progress = of(WAVES, 3, new int[] {1}, new int[0], new int[] {0});
    assertThat(progress.due(T0, 1).start()).containsExactly(1);
    end(progress, List.of(1));
    assertThat(progress.due(T0.plusSeconds(2), 1).start()).containsExactly(0);
    assertThat(progress.ended(0, "exited", false, false)).isTrue();
    Progress.Due due = progress.due(T0.plusSeconds(4), 1);
    assertThat(due.start()).isEmpty();
    assertThat(due.blocked()).containsExactly(2);
  }

  @Test
  void aRetriedTaskComesFirstAndHoldsItsWave() {
    Progress progress = of(WAVES, 13);
    List<Integer> started = new ArrayList<>(progress.due(T0, 1).start());
    progress.again(3, true);
    assertThat(progress.attempt(3)).isEqualTo(1);
    started.addAll(progress.due(T0.plusSeconds(2), 1).start());
    assertThat(started.subList(5, 6)).containsExactly(3);
    assertThat(progress.attempt(3)).isEqualTo(2);
    started.addAll(progress.due(T0.plusSeconds(4), 1).start());
    started.remove(Integer.valueOf(3));
    assertThat(progress.due(T0.plusSeconds(6), 1).start()).isEmpty();
    end(progress, started.stream().distinct().toList());
    assertThat(progress.due(T0.plusSeconds(8), 1).start()).containsExactly(12);
  }

  @Test
  void adaptiveKeepsABoundedNumberWaiting() {
    Pacing adaptive = new Pacing(Optional.empty(), 5, Duration.ofSeconds(2), true, 8);
    Progress progress = of(adaptive, 100);
    assertThat(progress.due(T0, 1).start()).hasSize(8);
    assertThat(progress.due(T0, 1).start()).isEmpty();
    progress.running(0);
    progress.running(1);
    assertThat(progress.due(T0, 1).start()).containsExactly(8, 9);
  }

  @Test
  void anEndingCountsOnce() {
    Progress progress = of(WAVES, 1);
    List<Integer> started = progress.due(T0, 1).start();
    end(progress, started);
    assertThat(progress.ended(0, "lost", false, true)).isFalse();
    assertThat(progress.counts().endings()).containsOnlyKeys("exited");
    assertThat(progress.finished()).isTrue();
  }
}
