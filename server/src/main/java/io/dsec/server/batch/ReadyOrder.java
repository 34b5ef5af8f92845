// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.batch;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalInt;
import java.util.function.IntPredicate;

/** No waves: a task may start once all that it waits for have ended. */
final class ReadyOrder implements Order {
  private final Graph graph;
  private final int[] unmet;
  private final Deque<Integer> again = new ArrayDeque<>();
  private final Deque<Integer> freed = new ArrayDeque<>();
  private final IntPredicate done;
  private int next;

  ReadyOrder(Graph graph, IntPredicate done) {
    this.graph = graph;
    this.done = done;
    this.unmet = new int[graph.size()];
    for (int i = 0; i < unmet.length; i++) {
      for (int j : graph.after(i)) {
        unmet[i] += done.test(j) ? 0 : 1;
      }
    }
  }

  @Override
  public OptionalInt next() {
    if (!again.isEmpty()) {
      return OptionalInt.of(again.remove());
    }
    if (!freed.isEmpty()) {
      return OptionalInt.of(freed.remove());
    }
    while (next < unmet.length) {
      int task = next++;
      if (unmet[task] == 0 && !done.test(task)) {
        return OptionalInt.of(task);
      }
    }
    return OptionalInt.empty();
  }

  @Override
  public void ended(int task) {
    for (int waiting : graph.before(task)) {
      if (--unmet[waiting] == 0 && waiting < next) {
        freed.add(waiting); // the scan has passed it
      }
    }
  }

  @Override
  public void again(int task) {
    again.add(task);
  }
}
