// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.batch;

import io.dsec.cli.EndingText;
import io.dsec.client.TaskResult;
import io.dsec.link.Json;
import io.dsec.model.Ending;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Results so far. Each task counts once, also when its result is sent again. Not thread-safe. */
final class Tally {
  private final List<TaskResult> results = new ArrayList<>();
  private final Set<String> seen = new HashSet<>();

  /** False when this task was counted before. */
  boolean add(TaskResult result) {
    return seen.add(result.id()) && results.add(result);
  }

  int size() {
    return results.size();
  }

  List<TaskResult> results() {
    return Collections.unmodifiableList(results);
  }

  /** Tasks by ending in words: good ones first, then as the kinds stand in {@link Ending}. */
  Map<String, List<TaskResult>> byEnding() {
    Map<String, List<TaskResult>> sorted = new TreeMap<>();
    for (TaskResult result : results) {
      sorted.computeIfAbsent(order(result.ending()), _ -> new ArrayList<>()).add(result);
    }
    Map<String, List<TaskResult>> groups = new LinkedHashMap<>();
    sorted.values().forEach(group -> groups.put(EndingText.of(group.getFirst().ending()), group));
    return groups;
  }

  /** Tasks by limit they ran into; one task may stand in several. */
  Map<String, Integer> byLimit() {
    Map<String, Integer> counts = new TreeMap<>();
    for (TaskResult result : results) {
      result.limitsHit().forEach(limit -> counts.merge(Json.lower(limit), 1, Integer::sum));
    }
    return counts;
  }

  List<TaskResult> faults() {
    return results.stream().filter(r -> r.ending().isFault()).toList();
  }

  boolean allSucceeded() {
    return results.stream().allMatch(r -> r.ending().succeeded());
  }

  /** Sorted; tasks that never came to this phase are left out. */
  List<Duration> times(Function<TaskResult, @Nullable Duration> phase) {
    List<Duration> times = new ArrayList<>();
    for (TaskResult result : results) {
      Duration time = phase.apply(result);
      if (time != null) {
        times.add(time);
      }
    }
    Collections.sort(times);
    return times;
  }

  /** Nearest rank. */
  static Duration percentile(List<Duration> sorted, double share) {
    int rank = (int) Math.ceil(share * sorted.size());
    return sorted.get(Math.clamp(rank - 1L, 0, sorted.size() - 1));
  }

  private static String order(Ending ending) {
    int kind =
        switch (ending) {
          case Ending.Exited _ -> 0;
          case Ending.Signaled _ -> 1;
          case Ending.Timeout _ -> 2;
          case Ending.Oom _ -> 3;
          case Ending.NotStarted _ -> 4;
          case Ending.Killed _ -> 5;
          case Ending.Lost _ -> 6;
        };
    int number =
        switch (ending) {
          case Ending.Exited(int code) -> code;
          case Ending.Signaled(int signal) -> signal;
          default -> 0;
        };
    return "%d %03d %s".formatted(kind, number, EndingText.of(ending));
  }
}
