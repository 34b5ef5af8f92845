// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.batch;

import io.dsec.model.DsecException;
import io.dsec.model.Ids;
import io.dsec.model.SandboxId;
import io.dsec.server.sandbox.Owner;
import io.dsec.server.sandbox.Owners;
import io.dsec.server.sandbox.Sandbox;
import io.dsec.server.sandbox.TaskEnd;
import io.dsec.server.store.Claim;
import io.dsec.server.store.Cursor;
import io.dsec.server.tenant.Caller;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** All batches: those under way in memory, the others in the database. */
public final class Batches implements Owners {
  private final BatchParts parts;
  private final Map<String, BatchRun> runs = new ConcurrentHashMap<>();

  public Batches(BatchParts parts) {
    this.parts = parts;
  }

  /** A batch with how far it is. */
  public record View(BatchRecord batch, Counts counts) {}

  /** What was created, or found by its identity. */
  public record Submitted(View view, boolean fresh) {}

  public Submitted submit(String tenant, BatchPlan plan, Optional<Claim> claim) {
    BatchRecord record =
        new BatchRecord(
            Ids.batch(parts.random()),
            tenant,
            plan.name(),
            "running",
            plan.ids().size(),
            plan.document(),
            parts.clock().instant().truncatedTo(ChronoUnit.MICROS),
            null);
    Optional<String> before = parts.table().insert(record, plan, claim);
    if (before.isPresent()) {
      return new Submitted(view(before.get()), false);
    }
    BatchRun run =
        new BatchRun(
            record, plan.ids(), new Progress(plan.graph(), plan.pacing(), List.of()), parts);
    runs.put(record.id(), run);
    run.pump();
    return new Submitted(view(record.id()), true);
  }

  /** Takes up what the last run of the server left; nothing starts before {@link #resume}. */
  public void load() {
    for (BatchRecord record : parts.table().open()) {
      List<BatchTable.Row> rows = parts.table().rows(record.id());
      List<String> ids = rows.stream().map(BatchTable.Row::id).toList();
      List<int @Nullable []> after = new ArrayList<>();
      rows.forEach(row -> after.add(row.after().stream().mapToInt(i -> i).toArray()));
      Progress progress =
          new Progress(Graph.of(after, ids), parts.orders().pacing(record.document()), rows);
      BatchRun run = new BatchRun(record, ids, progress, parts);
      for (int i = 0; i < rows.size(); i++) {
        BatchTable.Row row = rows.get(i);
        if (row.sandbox() != null && row.state().equals("started")) {
          run.restored(i, new SandboxId(row.sandbox()));
        }
      }
      runs.put(record.id(), run);
    }
  }

  /** Once the sandboxes are settled: goes on. */
  public void resume() {
    for (BatchRun run : runs.values()) {
      run.settle();
      if (run.record().state().equals("cancelling")) {
        run.cancel(Duration.ZERO);
      }
      run.pump();
    }
  }

  public View find(Caller caller, String id) {
    View view = view(id);
    if (!caller.mayUse(view.batch().tenant())) {
      throw DsecException.notFound("batch", id);
    }
    return view;
  }

  /** Newest first, after the cursor. */
  public List<View> list(String tenant, Optional<Cursor> cursor, int limit) {
    return parts.table().list(tenant, cursor, limit).stream().map(b -> view(b.id())).toList();
  }

  /** Tasks of a batch in the order of the document, after the {@code after}-th. */
  public List<BatchTable.TaskRow> tasks(String id, Optional<String> state, int after, int limit) {
    return parts.table().list(id, state, after, limit);
  }

  public void cancel(String id, Duration grace) {
    Optional.ofNullable(runs.get(id)).ifPresent(run -> run.cancel(grace));
  }

  public List<EndedTask> endedAfter(String id, long n, int limit) {
    return parts.table().endedAfter(id, n, limit);
  }

  /** Waits until more than {@code ended} tasks ended, the batch is over, or the limit passed. */
  public void awaitChange(String id, int ended, Duration limit) throws InterruptedException {
    BatchRun run = runs.get(id);
    if (run != null) {
      run.awaitChange(ended, limit);
    }
  }

  public int open() {
    return (int) runs.values().stream().filter(r -> !r.over()).count();
  }

  /** Tasks of all open batches that have no end. */
  public int tasksOpen() {
    return runs.values().stream().mapToInt(r -> r.record().total() - r.counts().ended()).sum();
  }

  @Override
  public void running(Sandbox sandbox) {
    if (sandbox.owner() instanceof Owner.BatchTask(String batch, int index)) {
      Optional.ofNullable(runs.get(batch)).ifPresent(run -> run.running(index));
    }
  }

  @Override
  public void ended(Sandbox sandbox, TaskEnd end) {
    if (sandbox.owner() instanceof Owner.BatchTask(String batch, int index)) {
      BatchRun run = runs.get(batch);
      if (run != null) {
        run.ended(sandbox, index, end);
        if (run.over()) {
          runs.remove(batch, run);
        }
      }
    }
  }

  private View view(String id) {
    BatchRun run = runs.get(id);
    if (run != null && !run.over()) {
      return new View(run.record(), run.counts());
    }
    BatchRecord record =
        parts.table().find(id).orElseThrow(() -> DsecException.notFound("batch", id));
    return new View(record, parts.table().counts(id));
  }
}
