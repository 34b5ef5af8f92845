// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.batch;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.IntPredicate;

/**
 * Where each task of a batch is, and which start next: a plain state machine without threads or
 * clock. Used under the lock of its batch. It holds a few bytes per task, whatever the task's size.
 *
 * <pre>
 *  from      to
 *  PENDING   STARTED ENDED
 *  STARTED   RUNNING PENDING ENDED     (waits for a node)
 *  RUNNING   PENDING ENDED
 *  ENDED     (none)
 * </pre>
 */
final class Progress {
  enum State {
    PENDING,
    STARTED,
    RUNNING,
    ENDED
  }

  private final Graph graph;
  private final State[] states;
  private final boolean[] succeeded;
  private final int[] attempts;
  private final Order order;
  private final Pace pace;
  private final Map<State, Integer> inState = new EnumMap<>(State.class);
  private final Map<String, Integer> endings = new HashMap<>();
  private int ok;
  private int faults;
  private int retried;

  Progress(Graph graph, Pacing pacing, List<BatchTable.Row> rows) {
    this.graph = graph;
    int n = graph.size();
    states = new State[n];
    succeeded = new boolean[n];
    attempts = new int[n];
    for (int i = 0; i < n; i++) {
      states[i] = State.PENDING;
      if (!rows.isEmpty()) {
        restore(i, rows.get(i));
      }
      inState.merge(states[i], 1, Integer::sum);
    }
    IntPredicate done = i -> states[i] == State.ENDED;
    order =
        pacing.waveSize().isPresent()
            ? new WaveOrder(graph, pacing.waveSize().get(), done)
            : new ReadyOrder(graph, done);
    pace =
        pacing.adaptive()
            ? new Pace.Window(pacing.window())
            : new Pace.MicroBatches(pacing.microBatch(), pacing.interval());
  }

  private void restore(int task, BatchTable.Row row) {
    attempts[task] = row.attempt();
    retried += Math.max(0, row.attempt() - 1);
    if (row.state().equals("ended")) {
      states[task] = State.ENDED;
      count(task, row.kind() == null ? "lost" : row.kind(), row.ok(), row.fault());
    } else if (row.state().equals("started")) {
      states[task] = State.STARTED;
    }
  }

  /** What to do now: tasks to start, and tasks that will not since one before them failed. */
  record Due(List<Integer> start, List<Integer> blocked) {
    boolean isEmpty() {
      return start.isEmpty() && blocked.isEmpty();
    }
  }

  Due due(Instant now, int nodes) {
    List<Integer> start = new ArrayList<>();
    List<Integer> blocked = new ArrayList<>();
    int allowance = pace.allowance(now, size(State.STARTED), nodes);
    while (start.size() < allowance) {
      OptionalInt next = order.next();
      if (next.isEmpty()) {
        break;
      }
      int task = next.getAsInt();
      if (states[task] != State.PENDING) {
        continue; // under way since before a restart
      }
      move(task, State.STARTED);
      if (dependencyFailed(task)) {
        blocked.add(task);
      } else {
        attempts[task]++;
        start.add(task);
      }
    }
    pace.took(now, start.size());
    return new Due(start, blocked);
  }

  Optional<Instant> wake(Instant now) {
    return size(State.PENDING) == 0 ? Optional.empty() : pace.wake(now);
  }

  void running(int task) {
    if (states[task] == State.STARTED) {
      move(task, State.RUNNING);
    }
  }

  /** Another attempt: {@code counts} when this one is used up. */
  void again(int task, boolean counts) {
    if (!counts) {
      attempts[task]--;
    } else {
      retried++;
    }
    move(task, State.PENDING);
    order.again(task);
  }

  /** False when it had ended before. */
  boolean ended(int task, String kind, boolean success, boolean fault) {
    if (states[task] == State.ENDED) {
      return false;
    }
    move(task, State.ENDED);
    count(task, kind, success, fault);
    order.ended(task);
    return true;
  }

  private void count(int task, String kind, boolean success, boolean fault) {
    succeeded[task] = success;
    endings.merge(kind, 1, Integer::sum);
    ok += success ? 1 : 0;
    faults += fault ? 1 : 0;
  }

  State state(int task) {
    return states[task];
  }

  int attempt(int task) {
    return attempts[task];
  }

  int size(State state) {
    return inState.getOrDefault(state, 0);
  }

  boolean finished() {
    return size(State.ENDED) == states.length;
  }

  List<Integer> in(State state) {
    List<Integer> found = new ArrayList<>();
    for (int i = 0; i < states.length; i++) {
      if (states[i] == state) {
        found.add(i);
      }
    }
    return found;
  }

  Counts counts() {
    Map<String, Integer> byState = new HashMap<>();
    for (State state : State.values()) {
      byState.put(io.dsec.link.Json.lower(state), size(state));
    }
    return new Counts(byState, endings, ok, faults, retried);
  }

  private boolean dependencyFailed(int task) {
    for (int before : graph.after(task)) {
      if (!succeeded[before]) {
        return true;
      }
    }
    return false;
  }

  private void move(int task, State to) {
    inState.merge(states[task], -1, Integer::sum);
    states[task] = to;
    inState.merge(to, 1, Integer::sum);
  }
}
