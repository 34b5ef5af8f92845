// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.batch;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.OptionalInt;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Waves in series: tasks of one level of the dependency graph, at most {@code size} of them. A wave
 * begins once every task of the one before has ended.
 */
final class WaveOrder implements Order {
  private final Graph graph;
  private final int size;
  private final int[] order;
  private final int[] waveOf;
  private final Deque<Integer> again = new ArrayDeque<>();
  private int next;
  private int wave;
  private int open;
  private int end;

  /** {@code done} tells tasks that ended in an earlier life of the server. */
  WaveOrder(Graph graph, int size, IntPredicate done) {
    this.graph = graph;
    this.size = size;
    this.order =
        IntStream.range(0, graph.size())
            .filter(i -> !done.test(i))
            .boxed()
            .sorted(Comparator.comparingInt(graph::level))
            .mapToInt(i -> i)
            .toArray();
    this.waveOf = new int[graph.size()];
    begin();
  }

  private void begin() {
    wave++;
    int from = end;
    while (end < order.length
        && end - from < size
        && graph.level(order[end]) == graph.level(order[from])) {
      waveOf[order[end]] = wave;
      end++;
    }
    open = end - from;
  }

  @Override
  public OptionalInt next() {
    if (!again.isEmpty()) {
      return OptionalInt.of(again.remove());
    }
    return next < end ? OptionalInt.of(order[next++]) : OptionalInt.empty();
  }

  @Override
  public void ended(int task) {
    if (waveOf[task] == wave && --open == 0 && end < order.length) {
      begin();
    }
  }

  @Override
  public void again(int task) {
    again.add(task);
  }
}
