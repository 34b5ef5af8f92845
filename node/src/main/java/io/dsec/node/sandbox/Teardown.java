// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import io.dsec.node.metrics.NodeMetrics;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Undoes the steps of one sandbox, last first. All undos run even when some fail. Each has a
 * deadline: one that hangs is left to itself on its thread, and is not begun again while it does.
 */
final class Teardown {
  static final Duration DEADLINE = Duration.ofSeconds(15);

  private final List<SetupStep> steps;
  private final ExecutorService threads;
  private final NodeMetrics metrics;
  private final Duration deadline;
  private final Map<String, Future<?>> hanging = new HashMap<>();

  Teardown(List<SetupStep> steps, ExecutorService threads, NodeMetrics metrics) {
    this(steps, threads, metrics, DEADLINE);
  }

  Teardown(List<SetupStep> steps, ExecutorService threads, NodeMetrics metrics, Duration deadline) {
    this.deadline = deadline;
    this.steps = steps;
    this.threads = threads;
    this.metrics = metrics;
  }

  /** What went wrong, one text per step; empty when everything is undone. */
  synchronized List<String> run() {
    List<String> errors = new ArrayList<>();
    for (SetupStep step : steps.reversed()) {
      String error = undo(step);
      if (!error.isEmpty()) {
        metrics.teardownError(step.name());
        errors.add(step.name() + ": " + error);
      }
    }
    return errors;
  }

  private String undo(SetupStep step) {
    Future<?> earlier = hanging.get(step.name());
    if (earlier != null && !earlier.isDone()) {
      return "still hangs";
    }
    hanging.remove(step.name());
    try {
      Future<?> undo = threads.submit(step::undo);
      hanging.put(step.name(), undo);
      undo.get(deadline.toNanos(), TimeUnit.NANOSECONDS);
      hanging.remove(step.name());
      return "";
    } catch (TimeoutException e) {
      return "hangs for more than " + deadline;
    } catch (ExecutionException e) {
      hanging.remove(step.name());
      return String.valueOf(e.getCause());
    } catch (RejectedExecutionException e) {
      return "the node is closing";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "interrupted";
    }
  }
}
