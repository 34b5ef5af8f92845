// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.batch;

import io.dsec.model.DsecException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which task of a batch waits for which, by number. */
public final class Graph {
  private static final int[] NONE = {};
  private static final int NAMED = 10;

  private final int[][] after;
  private final int[][] before;
  private final int[] level;

  private Graph(int[][] after, int[][] before, int[] level) {
    this.after = after;
    this.before = before;
    this.level = level;
  }

  /**
   * @param after per task the numbers it waits for; null for none
   * @param ids for messages
   * @throws DsecException naming the tasks when they wait for each other in a circle
   */
  public static Graph of(List<int @Nullable []> after, List<String> ids) {
    int n = after.size();
    int[][] needs = new int[n][];
    int[] dependents = new int[n];
    for (int i = 0; i < n; i++) {
      int @Nullable [] own = after.get(i);
      needs[i] = own == null ? NONE : own;
      for (int j : needs[i]) {
        dependents[j]++;
      }
    }
    int[][] before = new int[n][];
    for (int i = 0; i < n; i++) {
      before[i] = dependents[i] == 0 ? NONE : new int[dependents[i]];
    }
    for (int i = 0; i < n; i++) {
      for (int j : needs[i]) {
        before[j][--dependents[j]] = i;
      }
    }
    return new Graph(needs, before, levels(needs, before, ids));
  }

  private static int[] levels(int[][] needs, int[][] before, List<String> ids) {
    int n = needs.length;
    int[] level = new int[n];
    int[] unmet = new int[n];
    Deque<Integer> free = new ArrayDeque<>();
    for (int i = 0; i < n; i++) {
      unmet[i] = needs[i].length;
      if (unmet[i] == 0) {
        free.add(i);
      }
    }
    int seen = 0;
    while (!free.isEmpty()) {
      int i = free.remove();
      seen++;
      for (int next : before[i]) {
        level[next] = Math.max(level[next], level[i] + 1);
        if (--unmet[next] == 0) {
          free.add(next);
        }
      }
    }
    if (seen < n) {
      throw circle(unmet, ids);
    }
    return level;
  }

  private static DsecException circle(int[] unmet, List<String> ids) {
    List<String> stuck = new ArrayList<>();
    for (int i = 0; i < unmet.length && stuck.size() < NAMED; i++) {
      if (unmet[i] > 0) {
        stuck.add(ids.get(i));
      }
    }
    return DsecException.invalid(
        "tasks", "tasks wait for each other in a circle; among them %s".formatted(stuck));
  }

  int size() {
    return after.length;
  }

  int[] after(int task) {
    return after[task];
  }

  int[] before(int task) {
    return before[task];
  }

  int level(int task) {
    return level[task];
  }
}
