// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.task;

import io.dsec.model.DsecException;
import io.dsec.model.Ids;
import io.dsec.model.Reason;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxSpec;
import io.dsec.model.Tier;
import io.dsec.server.observe.Meters;
import io.dsec.server.sandbox.Accepted;
import io.dsec.server.sandbox.Catalog;
import io.dsec.server.sandbox.Intake;
import io.dsec.server.sandbox.NewSandbox;
import io.dsec.server.sandbox.Owner;
import io.dsec.server.sandbox.Owners;
import io.dsec.server.sandbox.Removals;
import io.dsec.server.sandbox.Sandbox;
import io.dsec.server.sandbox.TaskEnd;
import io.dsec.server.store.Claim;
import io.dsec.server.store.Cursor;
import io.dsec.server.tenant.Caller;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** Tasks: each a sandbox with a main command. A task ends once, with its command. */
public final class Tasks implements Owners {
  private final TaskTable table;
  private final Intake intake;
  private final Catalog catalog;
  private final Removals removals;
  private final Meters meters;
  private final RandomGenerator random;
  private final Clock clock;

  public Tasks(
      TaskTable table,
      Intake intake,
      Catalog catalog,
      Removals removals,
      Meters meters,
      RandomGenerator random,
      Clock clock) {
    this.table = table;
    this.intake = intake;
    this.catalog = catalog;
    this.removals = removals;
    this.meters = meters;
    this.random = random;
    this.clock = clock;
  }

  /** What was created, or found by its identity. */
  public record Submitted(TaskRecord task, boolean fresh) {}

  /**
   * @param request stored until it is placed, when it holds no secret
   */
  public Submitted submit(
      String tenant, SandboxSpec spec, Tier tier, Optional<String> request, Optional<Claim> claim) {
    String id = Ids.task(random);
    SandboxId sandbox = SandboxId.random(random);
    Map<String, String> labels = new HashMap<>(spec.labels());
    labels.putIfAbsent("task", id);
    NewSandbox asked =
        NewSandbox.of(sandbox, tenant, spec.withLabels(labels), tier)
            .owned(new Owner.Task(id), 1)
            .keeping(request)
            .named(claim.map(c -> new NewSandbox.Identity(c, id, false)))
            .with(h -> TaskTable.insert(h, id, tenant, sandbox, clock.instant()));
    return switch (intake.accept(asked)) {
      case Accepted.Created _ -> new Submitted(known(id), true);
      case Accepted.Before(String before) -> new Submitted(known(before), false);
    };
  }

  public TaskRecord find(Caller caller, String id) {
    return table
        .find(id)
        .filter(t -> caller.mayUse(t.tenant()))
        .orElseThrow(() -> DsecException.notFound("task", id));
  }

  /** Newest first, after the cursor; those that ended, those that did not, or both. */
  public List<TaskRecord> list(
      String tenant, Optional<Boolean> ended, Optional<Cursor> cursor, int limit) {
    return table.list(tenant, ended, cursor, limit);
  }

  /** Waits in real time for the task's end; the task as it is then. */
  public TaskRecord await(TaskRecord task, Duration limit) throws InterruptedException {
    Optional<Sandbox> sandbox = catalog.live(task.sandbox());
    if (sandbox.isPresent()) {
      boolean _ = sandbox.get().await(s -> s.toldOwner() || s.stored(), limit);
    }
    return known(task.id());
  }

  public void cancel(TaskRecord task, Duration grace) {
    catalog.live(task.sandbox()).ifPresent(s -> removals.begin(s, grace, Reason.CANCELLED));
  }

  public void heartbeat(TaskRecord task) {
    catalog.live(task.sandbox()).ifPresent(s -> s.touch(clock.instant()));
  }

  /** {@code queued}, {@code placing}, … while it has no end, then {@code ended}. */
  public String state(TaskRecord task) {
    if (task.result() != null) {
      return "ended";
    }
    return catalog
        .live(task.sandbox())
        .map(s -> io.dsec.link.Json.lower(s.state()))
        .orElse("ended");
  }

  @Override
  public void running(Sandbox sandbox) {
    // a task has nothing to do then
  }

  @Override
  public void ended(Sandbox sandbox, TaskEnd end) {
    if (sandbox.owner() instanceof Owner.Task(String id)) {
      table.ended(id, TaskResult.of(end), clock.instant());
      meters.taskEnded(end.ending());
    }
  }

  private TaskRecord known(String id) {
    return table.find(id).orElseThrow(() -> DsecException.notFound("task", id));
  }
}
