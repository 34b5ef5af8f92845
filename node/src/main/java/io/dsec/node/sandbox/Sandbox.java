// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import io.dsec.link.ExecListener;
import io.dsec.link.Json;
import io.dsec.link.Placed;
import io.dsec.link.Placement;
import io.dsec.link.SandboxFiles;
import io.dsec.link.SandboxReport;
import io.dsec.model.DsecException;
import io.dsec.model.Ending;
import io.dsec.model.ErrorCode;
import io.dsec.model.ExecResult;
import io.dsec.model.ExecSpec;
import io.dsec.model.Guarantee;
import io.dsec.model.ProcessInfo;
import io.dsec.model.Reason;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxSpec;
import io.dsec.model.SandboxState;
import io.dsec.model.StateChange;
import io.dsec.node.exec.Applets;
import io.dsec.node.exec.ExecTable;
import io.dsec.node.files.GuestFiles;
import io.dsec.node.image.Image;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One sandbox of this node, from its order to the last thing given back.
 *
 * <p>States change through {@link Life} alone. Set-up and tear-down hold {@code setup}, so they
 * never overlap; ending a sandbox does not wait for it: it kills, and the tear-down follows when
 * the set-up has noticed.
 */
public final class Sandbox {
  private static final Logger log = LoggerFactory.getLogger(Sandbox.class);
  private static final int TERM = 15;
  private static final Duration GRACE_POLL = Duration.ofMillis(10);

  private final Placement placement;
  private final SandboxSupport support;
  private final Path directory;
  private final Journal journal;
  private final Life life;
  private final Parts parts = new Parts();
  private final List<SetupStep> steps;
  private final Teardown teardown;
  private final @Nullable MainRun main;
  private final Wiring wiring;
  private final Pauses pauses;

  private final ReentrantLock setup = new ReentrantLock();
  private final CompletableFuture<Placed> placed = new CompletableFuture<>();
  private final AtomicBoolean stopped = new AtomicBoolean();
  private volatile Instant expiresAt;
  private volatile boolean cleaned;
  private volatile boolean failedStart;

  private Sandbox(
      Placement placement, List<StateChange> history, Instant expiresAt, SandboxSupport support) {
    this.placement = placement;
    this.support = support;
    this.expiresAt = expiresAt;
    directory = support.directory().resolve(placement.id().value());
    journal = new Journal(directory);
    life = new Life(journal, history, this::announce, support.metrics()::journalError);
    parts.placement = placement;
    steps = Steps.of(placement.id(), directory, support, parts);
    teardown = new Teardown(steps, support.undo(), support.metrics());
    main = placement.spec().main().map(m -> new MainRun(m, life, this::mainEnded)).orElse(null);
    wiring = new Wiring(placement, directory, support, parts, this::fail);
    pauses = new Pauses(placement.id(), support, parts, life);
  }

  /** A new one; nothing is made before {@link #setUp}. */
  static Sandbox ordered(Placement placement, SandboxSupport support) {
    StateChange first =
        new StateChange(SandboxState.PREPARING, Reason.REQUESTED, "", support.clock().instant());
    return new Sandbox(placement, List.of(first), placement.expiresAt(), support);
  }

  /** One that an earlier node process has left running; {@link #adopt} follows. */
  static Sandbox found(JournalView view, SandboxSupport support) {
    return new Sandbox(view.placement(), view.history(), view.expiresAt(), support);
  }

  public SandboxId id() {
    return placement.id();
  }

  public SandboxState state() {
    return life.state();
  }

  public Guarantee guaranteed() {
    return placement.spec().guaranteed();
  }

  public Instant expiresAt() {
    return expiresAt;
  }

  /** Everything is given back; what remains is the record. */
  boolean cleaned() {
    return cleaned;
  }

  /** It never ran, and whoever ordered it was told so: no record is kept. */
  boolean failedStart() {
    return failedStart;
  }

  SandboxReport report() {
    return ended().report(support.node(), support.epoch());
  }

  EndedSandbox ended() {
    Optional<MainResult> result = main == null ? Optional.empty() : main.result();
    return new EndedSandbox(id(), life.history(), life.changes(), expiresAt, result, directory);
  }

  /** Waits for {@link #setUp}, which another thread does. */
  Placed awaitPlaced() {
    try {
      return placed.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof DsecException d ? d : e;
    }
  }

  /** Runs all steps; a failure undoes them and is thrown. */
  Placed setUp(Image image) {
    setup.lock();
    try {
      Placed answer = new SetUp(placement, support, parts, steps, wiring, life).run(image);
      if (main != null) {
        String user = Wiring.defaults(placement.spec(), image).user();
        main.begin(Parts.need(parts.execs, "execs"), Parts.need(parts.files, "files"), user);
      }
      placed.complete(answer);
      return answer;
    } catch (RuntimeException e) {
      DsecException failure = failStart(e);
      placed.completeExceptionally(failure);
      throw failure;
    } finally {
      setup.unlock();
    }
  }

  private DsecException failStart(RuntimeException e) {
    DsecException failure =
        e instanceof DsecException d
            ? d
            : DsecException.of(ErrorCode.SANDBOX_FAILED, "the sandbox could not be started: " + e)
                .withCause(e);
    if (life.state() == SandboxState.STOPPING || life.state() == SandboxState.GONE) {
      return refusal();
    }
    failedStart = true;
    if (become(SandboxState.FAILED, Reason.SETUP_FAILED, failure.message())) {
      log.warn("{}: {}", id(), failure.message(), failure.getCause());
      stop(_ -> new Ending.Lost(Reason.SETUP_FAILED));
    }
    tearDown();
    return failure;
  }

  /** Takes over what an earlier node process has left, or fails it when init does not answer. */
  void adopt(JournalView view) {
    Adoption adoption = new Adoption(view, main, parts);
    setup.lock();
    try {
      JournalEntry.Launched launched = view.launched().orElseThrow();
      parts.idBase = launched.idBase();
      parts.init = new InitProcess(launched.pid(), launched.startTicks());
      support.ids().adopt(id(), launched.idBase());
      life.note(new JournalEntry.Adopted(support.epoch()));
      wiring.recorder();
      wiring.channel(launched.defaults(), adoption.firstExec(), adoption);
      steps.getLast().run();
      placed.complete(
          new Placed(
              support.node(),
              placement.tier(),
              launched.imageDigest(),
              view.last().at(),
              Duration.ZERO,
              Duration.ZERO));
      pauses.adopted();
      adoption.goOn(launched.defaults().user(), this::mainEnded);
    } catch (RuntimeException e) {
      InitProcess init = parts.init;
      boolean alive = init != null && init.alive();
      fail(alive ? Reason.CHANNEL_BROKEN : Reason.INIT_DIED, String.valueOf(e.getMessage()));
      adoption.follow();
      placed.completeExceptionally(refusal());
    } finally {
      setup.unlock();
    }
  }

  ExecResult exec(ExecSpec spec, ExecListener listener) {
    ExecResult result = execs().run(spec, listener);
    support.metrics().exec(result.ending());
    return result;
  }

  /** Starts a command in the background. */
  ProcessInfo start(ExecSpec spec) {
    Instant now = support.clock().instant();
    return execs()
        .launch(spec, number -> life.require(new JournalEntry.ProcessStarted(number, spec, now)));
  }

  /** Of a sandbox that runs or is paused. */
  ExecTable execs() {
    checkRuns();
    return Parts.need(parts.execs, "execs");
  }

  /** Files of a sandbox that runs, as one of its users. */
  SandboxFiles files(Optional<String> as) {
    checkRuns();
    return new GuestFiles(Parts.need(parts.files, "files"), as);
  }

  /** Of a sandbox that runs. */
  Applets applets() {
    checkRuns();
    return Parts.need(parts.applets, "applets");
  }

  private void checkRuns() {
    awaitPlaced();
    if (!usable()) {
      throw refusal();
    }
  }

  private boolean usable() {
    SandboxState now = life.state();
    return now == SandboxState.RUNNING || now == SandboxState.PAUSED;
  }

  SandboxReport pause() {
    awaitPlaced();
    pauses.pause();
    if (!usable()) {
      throw refusal();
    }
    return report();
  }

  SandboxReport resume() {
    awaitPlaced();
    pauses.resume(Reason.REQUESTED);
    if (!usable()) {
      throw refusal();
    }
    return report();
  }

  /** Copies what it has written; returns what it was made from. */
  SandboxSpec copy(SandboxId copy, List<SandboxId> children) {
    awaitPlaced();
    SandboxSpec spec = placement.spec();
    boolean done =
        pauses.still(
            () -> {
              if (!usable()) {
                return false;
              }
              support.layers().copy(id(), copy, spec.resources());
              return true;
            });
    if (!done) {
      throw refusal();
    }
    wiring.forked(children);
    return spec;
  }

  void wake(boolean mayResume) {
    if (life.state() != SandboxState.PAUSED) {
      return;
    }
    if (!mayResume) {
      throw DsecException.of(ErrorCode.CONFLICT, "sandbox %s is paused".formatted(id()))
          .withField("resume")
          .withHint("resume it first, or leave \"resume\": false out: the call then resumes it");
    }
    pauses.resume(Reason.WOKEN);
  }

  void renew(Instant newEnd) {
    if (!life.state().live()) {
      throw refusal();
    }
    life.note(new JournalEntry.Renewed(newEnd));
    expiresAt = newEnd;
    support.watch().changed(this);
  }

  private DsecException refusal() {
    StateChange last = life.last();
    return refusal(id(), last);
  }

  static DsecException refusal(SandboxId id, StateChange last) {
    if (last.state() == SandboxState.FAILED) {
      return DsecException.of(
          ErrorCode.SANDBOX_FAILED,
          "sandbox %s failed (%s): %s".formatted(id, Json.lower(last.reason()), last.message()));
    }
    return DsecException.of(
        ErrorCode.GONE, "sandbox %s is gone (%s)".formatted(id, Json.lower(last.reason())));
  }

  private void mainEnded(ExecResult result) {
    support.metrics().exec(result.ending());
    support.watch().changed(this);
    Reason reason =
        result.ending() instanceof Ending.Timeout ? Reason.TASK_TIMEOUT : Reason.FINISHED;
    remove(Duration.ZERO, reason);
  }

  /** True when it was there. Returns once nobody can reach it any more. */
  boolean remove(Duration grace, Reason reason) {
    boolean first = become(SandboxState.STOPPING, reason, "");
    if (!first && life.state() != SandboxState.STOPPING) {
      return become(SandboxState.GONE, reason, "");
    }
    if (first && !grace.isZero()) {
      terminate(grace, reason);
    }
    if (first || grace.isZero()) {
      stop(_ -> new Ending.Killed(reason));
      tearDownLater();
    }
    return true;
  }

  private void terminate(Duration grace, Reason reason) {
    ExecTable execs = parts.execs;
    if (execs == null) {
      return;
    }
    pauses.thawToEnd();
    Thread.startVirtualThread(() -> execs.signalAll(TERM, reason)); // the time runs in any case
    long end = support.timers().nanos() + grace.toNanos();
    while (execs.size() > 0 && support.timers().nanos() < end && !stopped.get()) {
      support.timers().pause(GRACE_POLL);
    }
  }

  /** It cannot go on: waiting callers are told, and what it held is given back. */
  void fail(Reason reason, String message) {
    if (become(SandboxState.FAILED, reason, message)) {
      log.warn("{}: failed ({}): {}", id(), reason, message);
      support.metrics().failed(reason);
      stop(_ -> new Ending.Lost(reason));
      tearDownLater();
    }
  }

  private void stop(LongFunction<Ending> ending) {
    if (!stopped.compareAndSet(false, true)) {
      return;
    }
    if (parts.channel != null) {
      parts.channel.close();
    }
    if (parts.execs != null) {
      parts.execs.endAll(ending);
    }
    if (parts.applets != null) {
      parts.applets.endAll(ending);
    }
    try {
      support.cgroups().kill(id());
    } catch (RuntimeException e) {
      log.warn("{}: kill: {}; the tear-down tries again", id(), e.toString());
    }
  }

  void tearDownLater() {
    Thread.ofVirtual().name("teardown").start(this::tearDown);
  }

  /** Gives back what is held. Safe to repeat; what fails is left for the next time. */
  private void tearDown() {
    setup.lock();
    try {
      if (cleaned) {
        return;
      }
      List<String> errors = teardown.run();
      if (main != null) {
        main.awaitRecorded();
      }
      if (!errors.isEmpty()) {
        log.warn("{}: tear-down is not complete: {}", id(), errors);
        return;
      }
      StateChange last = life.last();
      if (last.state() == SandboxState.STOPPING) {
        become(SandboxState.GONE, last.reason(), last.message());
      }
      wiring.close(journal, ended().main());
      cleaned = true;
    } finally {
      setup.unlock();
    }
    support.watch().cleaned(this);
  }

  /** Looks after itself: ends when its init is gone, and tries again what tear-down left undone. */
  void check() {
    if (usable()) {
      InitProcess init = parts.init;
      if (init != null && !init.alive()) {
        fail(Reason.INIT_DIED, "the sandbox's init is gone");
      }
    } else if (stopped.get() && !setup.isLocked()) {
      support.metrics().repaired("teardown");
      tearDownLater();
    }
  }

  /** Ends it when its time has passed. */
  public void expire(Instant now) {
    if (usable() && !now.isBefore(expiresAt)) {
      Thread.startVirtualThread(() -> remove(Duration.ZERO, Reason.TTL_EXPIRED));
    }
  }

  /** Lets go of a sandbox that shall live on without this node process. */
  void leave() {
    if (parts.channel != null) {
      parts.channel.close();
    }
    if (parts.execs != null) {
      parts.execs.abandon(new Ending.Lost(Reason.NODE_STOPPED));
    }
    if (parts.applets != null) {
      parts.applets.endAll(_ -> new Ending.Lost(Reason.NODE_STOPPED));
    }
    if (parts.recorder != null) {
      parts.recorder.close();
    }
  }

  private boolean become(SandboxState next, Reason reason, String message) {
    return life.become(new StateChange(next, reason, message, support.clock().instant()));
  }

  private void announce(SandboxState before, StateChange change) {
    wiring.record(before, change);
    if (!failedStart) {
      support.watch().changed(this);
    }
  }
}
