// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.batch;

import io.dsec.model.DsecException;
import io.dsec.model.Ending;
import io.dsec.model.ErrorCode;
import io.dsec.model.Reason;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxSpec;
import io.dsec.server.exec.EndingReply;
import io.dsec.server.sandbox.Accepted;
import io.dsec.server.sandbox.NewSandbox;
import io.dsec.server.sandbox.Owner;
import io.dsec.server.sandbox.Sandbox;
import io.dsec.server.sandbox.TaskEnd;
import io.dsec.server.sandbox.Timings;
import io.dsec.server.task.TaskResult;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A batch that is not over. {@link Progress} decides under this object's lock; what it decides is
 * done outside of it, each start on a thread of its own. An end is stored before it is counted, so
 * a restart in between finds the task still under way and each task ends once.
 */
final class BatchRun {
  private static final Logger LOG = LoggerFactory.getLogger(BatchRun.class);
  private static final Duration FULL = Duration.ofSeconds(1);

  private final BatchParts parts;
  private final List<String> ids;
  private final Progress progress;
  private final Map<Integer, SandboxId> sandboxes = new HashMap<>();
  private BatchRecord record;
  private boolean over;

  BatchRun(BatchRecord record, List<String> ids, Progress progress, BatchParts parts) {
    this.record = record;
    this.ids = List.copyOf(ids);
    this.progress = progress;
    this.parts = parts;
  }

  synchronized BatchRecord record() {
    return record;
  }

  synchronized Counts counts() {
    return progress.counts();
  }

  synchronized boolean over() {
    return over;
  }

  /** Waits in real time for any change; at most {@code limit}. */
  synchronized void awaitChange(int ended, Duration limit) throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    while (!over && progress.size(Progress.State.ENDED) == ended) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return;
      }
      wait(Math.max(1, left / 1_000_000));
    }
  }

  /** After a restart: {@code sandbox} was started for this task before it. */
  synchronized void restored(int task, SandboxId sandbox) {
    sandboxes.put(task, sandbox);
  }

  /** A started task whose sandbox nobody knows. */
  void settle() {
    List<Integer> gone;
    synchronized (this) {
      gone =
          sandboxes.entrySet().stream()
              .filter(e -> progress.state(e.getKey()) == Progress.State.STARTED)
              .filter(e -> parts.catalog().live(e.getValue()).isEmpty())
              .map(Map.Entry::getKey)
              .toList();
    }
    for (int task : gone) {
      conclude(task, new Ending.Lost(Reason.SERVER_RESTARTED), Optional.empty());
    }
  }

  /** Starts whatever may start now. */
  void pump() {
    Progress.Due due;
    do {
      Optional<Instant> wake;
      Instant now = parts.clock().instant();
      synchronized (this) {
        if (over || cancelling()) {
          return;
        }
        due = progress.due(now, Math.max(1, parts.nodes().members().size()));
        wake = progress.wake(now);
      }
      for (int task : due.start()) {
        Thread _ = Thread.ofVirtual().name(record().id() + "-" + task).start(() -> start(task));
      }
      endWithout(
          due.blocked(),
          new Ending.NotStarted(Reason.DEPENDENCY_FAILED, "a task it waits for did not succeed"));
      if (due.isEmpty()) {
        wake.ifPresent(at -> parts.alarm().after(Duration.between(now, at), this::pump));
      }
    } while (!due.isEmpty());
  }

  private void start(int task) {
    try {
      String own = parts.table().task(record.id(), task);
      TaskOrders.TaskOrder order = parts.orders().order(record.document(), own);
      launch(task, order);
    } catch (DsecException e) {
      if (e.code() == ErrorCode.NO_CAPACITY) {
        synchronized (this) {
          progress.again(task, false);
        }
        parts.alarm().after(FULL, this::pump);
      } else {
        conclude(task, new Ending.NotStarted(reason(e), e.message()), Optional.empty());
      }
    } catch (RuntimeException e) {
      LOG.error("task {} of batch {} did not start", ids.get(task), record.id(), e);
      conclude(task, new Ending.NotStarted(Reason.SETUP_FAILED, e.toString()), Optional.empty());
    }
  }

  private void launch(int task, TaskOrders.TaskOrder order) {
    SandboxId id = SandboxId.random(parts.random());
    int attempt;
    synchronized (this) {
      attempt = progress.attempt(task);
      sandboxes.put(task, id);
    }
    Accepted accepted =
        parts
            .intake()
            .accept(
                NewSandbox.of(
                        id, record.tenant(), labelled(order.spec(), task, attempt), order.tier())
                    .owned(new Owner.BatchTask(record.id(), task), attempt)
                    .with(h -> BatchTable.started(h, record.id(), task, id, attempt)));
    if (cancelling() && accepted instanceof Accepted.Created(Sandbox sandbox)) {
      parts.removals().begin(sandbox, Duration.ZERO, Reason.CANCELLED);
    }
  }

  private SandboxSpec labelled(SandboxSpec spec, int task, int attempt) {
    Map<String, String> labels = new HashMap<>(spec.labels());
    labels.putIfAbsent("batch", record.id());
    labels.putIfAbsent("task", ids.get(task));
    labels.putIfAbsent("attempt", Integer.toString(attempt));
    return spec.withLabels(labels);
  }

  private static Reason reason(DsecException e) {
    return switch (e.code()) {
      case TIER_UNAVAILABLE -> Reason.TIER_UNAVAILABLE;
      case QUOTA_EXCEEDED -> Reason.NO_CAPACITY;
      case INTERNAL -> Reason.SETUP_FAILED;
      default -> Reason.INVALID_COMMAND;
    };
  }

  void running(int task) {
    synchronized (this) {
      progress.running(task);
    }
    pump();
  }

  void ended(Sandbox sandbox, int task, TaskEnd end) {
    synchronized (this) {
      if (!sandbox.id().equals(sandboxes.get(task))) {
        return; // an attempt that was given up before
      }
    }
    conclude(task, end.ending(), Optional.of(end));
  }

  /** This attempt is over: try again, or store the end. */
  private void conclude(int task, Ending ending, Optional<TaskEnd> end) {
    parts.meters().taskEnded(ending);
    boolean unplaced =
        ending instanceof Ending.NotStarted(Reason reason, String _)
            && reason == Reason.SERVER_RESTARTED;
    if (!cancelling() && (unplaced || retry(task, ending))) {
      int attempt;
      synchronized (this) {
        sandboxes.remove(task);
        progress.again(task, !unplaced);
        attempt = progress.attempt(task);
      }
      parts.table().pending(record.id(), task, attempt);
    } else {
      Timings timings = end.map(e -> e.sandbox().timings()).orElse(Timings.NONE);
      TaskResult result =
          end.map(TaskResult::of)
              .orElseGet(() -> TaskResult.without(EndingReply.of(ending, Set.of()), null, timings));
      parts.table().ended(record.id(), List.of(task), result, ending.succeeded());
      counted(List.of(task), ending);
    }
    pump();
  }

  private boolean retry(int task, Ending ending) {
    int attempt;
    synchronized (this) {
      attempt = progress.attempt(task);
    }
    return ending.isFault()
        && parts
            .orders()
            .retries(record.document(), parts.table().task(record.id(), task))
            .again(ending, attempt);
  }

  private void endWithout(List<Integer> tasks, Ending ending) {
    if (!tasks.isEmpty()) {
      parts
          .table()
          .ended(
              record.id(),
              tasks,
              TaskResult.without(EndingReply.of(ending, Set.of()), null, Timings.NONE),
              false);
      counted(tasks, ending);
    }
  }

  private void counted(List<Integer> tasks, Ending ending) {
    BatchRecord last = null;
    synchronized (this) {
      for (int task : tasks) {
        boolean _ = progress.ended(task, ending.kind(), ending.succeeded(), ending.isFault());
        sandboxes.remove(task);
      }
      if (!over && progress.finished()) {
        over = true;
        record = record.ended(cancelling() ? "cancelled" : "finished", parts.clock().instant());
        last = record;
      }
      notifyAll();
    }
    if (last != null) {
      parts.table().ended(last);
    }
  }

  private synchronized boolean cancelling() {
    return record.state().equals("cancelling");
  }

  /** Nothing starts any more; what runs is removed with {@code grace}. */
  void cancel(Duration grace) {
    List<Integer> pending;
    synchronized (this) {
      if (over) {
        return;
      }
      record = record.in("cancelling");
      pending = progress.in(Progress.State.PENDING);
    }
    parts.table().state(record.id(), "cancelling");
    endWithout(pending, new Ending.NotStarted(Reason.CANCELLED, "the batch was cancelled"));
    List<SandboxId> live;
    synchronized (this) {
      live = List.copyOf(sandboxes.values());
    }
    for (SandboxId id : live) {
      parts
          .catalog()
          .live(id)
          .ifPresent(sandbox -> parts.removals().begin(sandbox, grace, Reason.CANCELLED));
    }
  }
}
