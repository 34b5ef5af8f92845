// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.sandbox;

import io.dsec.link.Fork;
import io.dsec.link.Placed;
import io.dsec.link.SandboxReport;
import io.dsec.model.DsecException;
import io.dsec.model.ExecResult;
import io.dsec.model.Guarantee;
import io.dsec.model.Priority;
import io.dsec.model.Reason;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxSpec;
import io.dsec.model.SandboxState;
import io.dsec.model.StateChange;
import io.dsec.model.Tier;
import io.dsec.server.schedule.Waiting;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox that has not ended, or just did.
 *
 * <p>Its history has two authors: the server writes {@code queued} and {@code placing}, the node
 * all that follows, and a later report of the node replaces an earlier one whole. What happens
 * because of a change (storing it, telling the owner) runs under {@link #followUp}, one thread at a
 * time.
 */
public final class Sandbox implements Waiting {
  private final Owner owner;
  private final @Nullable Fork fork;
  private final ReentrantLock followUp = new ReentrantLock();
  private final AtomicInteger execs = new AtomicInteger();
  private final List<StateChange> ours = new ArrayList<>();
  private List<StateChange> theirs = List.of();
  private int theirChanges;
  private SandboxRecord record;
  private @Nullable SandboxSpec spec;
  private @Nullable ExecResult main;
  private @Nullable DsecException failure;
  private @Nullable Reason removal;
  private boolean ended;
  private boolean placing;
  private boolean toldRunning;
  private boolean toldEnd;
  private @Nullable Instant mainEnded;
  private boolean ownerDone;
  private boolean stored;
  private volatile Instant touched;

  Sandbox(SandboxRecord record, @Nullable SandboxSpec spec) {
    this(record, spec, null);
  }

  Sandbox(SandboxRecord record, @Nullable SandboxSpec spec, @Nullable Fork fork) {
    this.fork = fork;
    this.owner = Owner.parse(record.owner());
    this.record = record;
    this.spec = spec;
    this.touched = record.createdAt();
    for (StateChange step : record.history()) {
      if (step.state() == SandboxState.QUEUED || step.state() == SandboxState.PLACING) {
        ours.add(step);
      }
    }
    theirs = record.history().subList(ours.size(), record.history().size());
    theirChanges = theirs.size();
  }

  @Override
  public SandboxId id() {
    return record().id();
  }

  public Owner owner() {
    return owner;
  }

  Optional<Fork> fork() {
    return Optional.ofNullable(fork);
  }

  public boolean isTask() {
    return !(owner instanceof Owner.Client);
  }

  public synchronized SandboxRecord record() {
    return record;
  }

  @Override
  public Guarantee demand() {
    return record().guaranteed();
  }

  @Override
  public Priority priority() {
    return record().priority();
  }

  @Override
  public String tenant() {
    return record().tenant();
  }

  @Override
  public Tier tier() {
    return record().tier();
  }

  @Override
  public synchronized boolean wanted() {
    return removal == null && !ended;
  }

  public SandboxState state() {
    return record().state();
  }

  synchronized Optional<SandboxSpec> spec() {
    return Optional.ofNullable(spec);
  }

  /** The error of a start that failed. */
  public synchronized Optional<DsecException> failure() {
    return Optional.ofNullable(failure);
  }

  /** Runs and all of its start is known, or will never run. */
  public synchronized boolean settled() {
    SandboxState now = record.state();
    boolean runs = (now == SandboxState.RUNNING || now == SandboxState.PAUSED) && !placing;
    return ended || runs || record.state() == SandboxState.FAILED;
  }

  public synchronized boolean ended() {
    return ended;
  }

  /** The queue gave it away; true when it may go on to a node. */
  synchronized boolean leaveQueue(Instant now) {
    placing = wanted();
    if (placing) {
      Duration waited = Duration.between(record.createdAt(), now);
      record = record.withTimings(record.timings().withQueued(waited));
      ours.add(new StateChange(SandboxState.PLACING, Reason.REQUESTED, "", now));
      publish();
    }
    return placing;
  }

  synchronized void orderedFrom(String node, Instant expiresAt) {
    record = record.withNode(node, expiresAt);
  }

  /** It waits (again); repeated waits for the same kind of reason are one entry. */
  synchronized void waits(Reason reason, String message, Instant now) {
    placing = false;
    record = record.withNode(null, null);
    ours.removeIf(step -> step.state() == SandboxState.PLACING || step.reason() == reason);
    ours.add(new StateChange(SandboxState.QUEUED, reason, message, now));
    publish();
  }

  synchronized void placed(Placed by, Duration took) {
    placing = false;
    spec = null;
    record =
        record.withStart(
            by.tier(),
            by.imageDigest(),
            by.startedAt(),
            record.timings().withStart(took, by.prepared(), by.started()));
    if (theirs.isEmpty()) {
      // as the node's report will say it
      theirs = List.of(new StateChange(SandboxState.RUNNING, Reason.REQUESTED, "", by.startedAt()));
      theirChanges = theirs.size();
    }
    publish();
  }

  synchronized boolean placing() {
    return placing;
  }

  synchronized void expiresAt(Instant at) {
    record = record.withExpiry(at);
  }

  /** Takes over a report unless a later one was seen. */
  public synchronized void merge(SandboxReport report) {
    List<StateChange> steps =
        report.history().stream()
            .filter(s -> s.state() != SandboxState.QUEUED && s.state() != SandboxState.PLACING)
            .toList();
    report.main().ifPresent(result -> main = result);
    if (!ended && report.changes() >= theirChanges) {
      theirs = steps;
      theirChanges = report.changes();
      record = record.withNode(report.node(), report.expiresAt());
      ended = report.state() == SandboxState.GONE;
      publish();
    }
    notifyAll();
  }

  /** Ends without the node's word. */
  synchronized void end(SandboxState state, Reason reason, String message, Instant now) {
    placing = false;
    if (!ended) {
      List<StateChange> steps = new ArrayList<>(theirs);
      steps.add(new StateChange(state, reason, message, now));
      theirs = List.copyOf(steps);
      ended = true;
      publish();
    }
  }

  synchronized void failed(DsecException error) {
    failure = error;
    record = record.withFailure(StartFailure.of(error));
  }

  synchronized void removeRequested(Reason reason) {
    if (removal == null) {
      removal = reason;
    }
  }

  public synchronized Optional<Reason> removal() {
    return Optional.ofNullable(removal);
  }

  public synchronized Optional<ExecResult> main() {
    return Optional.ofNullable(main);
  }

  ReentrantLock followUp() {
    return followUp;
  }

  synchronized boolean takeRunning() {
    boolean take = !toldRunning && record.state() == SandboxState.RUNNING;
    toldRunning |= take;
    return take;
  }

  synchronized boolean takeMainEnd() {
    boolean take = isTask() && !toldEnd && (main != null || ended || failedForGood());
    toldEnd |= take;
    return take;
  }

  /** The owner has stored the end of the main command. */
  synchronized void ownerTold(Instant now) {
    ownerDone = true;
    mainEnded = now;
    notifyAll();
  }

  public synchronized Optional<Instant> mainEndedAt() {
    return Optional.ofNullable(mainEnded);
  }

  public synchronized boolean toldOwner() {
    return ownerDone;
  }

  /** Storing failed: whatever was taken and not finished is to be done again. */
  synchronized void untake() {
    toldEnd = ownerDone;
    if (!stored) {
      record = record.withEnd(null);
    }
  }

  /** The node may forget it, and nothing here waits for it any more. */
  synchronized void markStored() {
    stored = true;
    notifyAll();
  }

  synchronized boolean takeEnd(Instant now) {
    boolean take = ended && record.endedAt() == null;
    if (take) {
      record = record.withEnd(now);
    }
    return take;
  }

  /** The end is in the database, as far as it needs to be. */
  public synchronized boolean stored() {
    return stored;
  }

  private boolean failedForGood() {
    return record.state() == SandboxState.FAILED;
  }

  public void touch(Instant now) {
    touched = now;
  }

  public Instant touched() {
    return touched;
  }

  public AtomicInteger execs() {
    return execs;
  }

  /** Waits in real time until {@code goal} holds; false when {@code limit} passed first. */
  public synchronized boolean await(Predicate<Sandbox> goal, Duration limit)
      throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    while (!goal.test(this)) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      wait(Math.max(1, left / 1_000_000));
    }
    return true;
  }

  /** Who awaits something looks again. */
  public synchronized void wake() {
    notifyAll();
  }

  private void publish() {
    List<StateChange> all = new ArrayList<>(ours);
    all.addAll(theirs);
    record = record.withHistory(all);
    notifyAll();
  }
}
