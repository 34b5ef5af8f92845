// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.link.ExecListener;
import io.dsec.model.DsecException;
import io.dsec.model.Ending;
import io.dsec.model.ExecResult;
import io.dsec.model.ExecSpec;
import io.dsec.model.ProcessInfo;
import io.dsec.model.Reason;
import io.dsec.node.channel.Output;
import io.dsec.node.channel.ProtocolBreach;
import io.dsec.proto.guest.Ended;
import io.dsec.proto.guest.ExecStatus;
import io.dsec.proto.guest.Late;
import io.dsec.proto.guest.Started;
import io.dsec.proto.guest.StdinWindow;
import io.dsec.proto.guest.Welcome;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The execs of one sandbox. An exec is here from its start until its result was handed over and
 * init was told to forget it; numbers are never used twice in a sandbox.
 */
public final class ExecTable {
  public static final int MAX = 256;

  /** Stands for a command of which only the number is known; nothing of its output is kept. */
  private static final ExecSpec ORPHAN = ExecSpec.program(List.of("unknown")).maxOutput(0).done();

  private final ExecContext context;
  private final long first;
  private final AtomicLong next;
  private final ConcurrentHashMap<Long, Exec> execs = new ConcurrentHashMap<>(4);

  private final Retention retention;
  private volatile long pidsRefused;
  private volatile @Nullable LongFunction<Ending> closed;

  private final Object holding = new Object();
  private volatile @Nullable Boolean held; // written under `holding`; null: init was never told

  /** {@code first}: number of the first exec, beyond all that were ever used in this sandbox. */
  public ExecTable(ExecContext context, long first) {
    this.context = context;
    this.first = first;
    this.next = new AtomicLong(first);
    this.retention = new Retention(execs, context.link());
  }

  /** How many run. */
  public int size() {
    return retention.running();
  }

  /** Runs a command to its end, on the caller's thread. */
  public ExecResult run(ExecSpec spec, ExecListener listener) {
    boolean followed = !listener.equals(ExecListener.NONE);
    Exec exec = create(next.getAndIncrement(), spec, true, followed);
    begin(exec);
    try {
      ExecResult result = exec.await(listener);
      retire(exec);
      return result;
    } catch (RuntimeException | Error e) {
      exec.unfollow();
      finishAlone(exec, this::retire);
      throw e;
    }
  }

  /**
   * Starts a command that nobody waits for. {@code note} is called with its number before the guest
   * hears of it.
   */
  public ProcessInfo launch(ExecSpec spec, LongConsumer note) {
    long number = next.getAndIncrement();
    Exec exec = create(number, spec, false, false);
    note.accept(number);
    begin(exec);
    exec.awaitStart();
    ProcessInfo info = exec.info();
    if (info.ending().orElse(null) instanceof Ending.NotStarted) {
      retention.drop(exec);
    } else {
      finishAlone(exec, this::retire);
    }
    return info;
  }

  /** The number that the next exec would have. */
  public long reserve() {
    return next.getAndIncrement();
  }

  /**
   * Starts one under a number from {@link #reserve}; {@link #await} and {@link #handedOver} follow.
   */
  public Exec start(long number, ExecSpec spec, boolean followed) {
    return begin(create(number, spec, false, followed));
  }

  private Exec create(long number, ExecSpec spec, boolean awaited, boolean followed) {
    Instant now = context.clock().instant();
    return new Exec(
        new Beginning(number, spec, now, awaited, followed, 0, 0, pidsRefused), context);
  }

  private Exec begin(Exec exec) {
    if (size() >= MAX) {
      exec.end(
          new Ending.NotStarted(
              Reason.TOO_MANY_EXECS,
              "%d execs run in this sandbox already; wait for one to end".formatted(MAX)));
      return exec;
    }
    execs.put(exec.number(), exec);
    exec.start();
    context.link().flush();
    synchronized (holding) {
      if (Boolean.TRUE.equals(held)) {
        exec.hold(true);
      }
    }
    LongFunction<Ending> end = closed;
    if (end != null) {
      exec.end(end.apply(exec.number()));
    }
    return exec;
  }

  /** An exec that ended before it could start. */
  public Exec refuse(long number, ExecSpec spec, Ending ending) {
    Exec exec = create(number, spec, false, false);
    exec.end(ending);
    return exec;
  }

  /**
   * Takes over an exec of an earlier node process, before the channel opens. {@code status} comes
   * with the Welcome.
   */
  public Exec adopt(
      long number, ExecSpec spec, Instant startedAt, long stdoutAcked, long stderrAcked) {
    Exec exec =
        new Exec(
            new Beginning(
                number, spec, startedAt, false, false, stdoutAcked, stderrAcked, pidsRefused),
            context);
    execs.put(number, exec);
    exec.watch();
    return exec;
  }

  public ExecResult await(Exec exec) {
    return exec.await(ExecListener.NONE);
  }

  /** The result is stored where it belongs: init may forget the exec. */
  public void handedOver(Exec exec, boolean keepSpool) {
    retention.handedOver(exec, keepSpool);
    pidsRefused = Math.max(pidsRefused, exec.pidsRefused());
  }

  private void finishAlone(Exec exec, Consumer<Exec> after) {
    Thread.startVirtualThread(
        () -> {
          exec.awaitEnd();
          after.accept(exec);
        });
  }

  /** Follows a process of an earlier node process, which was launched there. */
  public void goOn(long number) {
    Exec exec = execs.get(number);
    if (exec != null) {
      finishAlone(exec, this::retire);
    }
  }

  private void retire(Exec exec) {
    pidsRefused = Math.max(pidsRefused, exec.pidsRefused());
    retention.retire(exec);
  }

  /** Newest first. */
  public List<ProcessInfo> processes() {
    return known()
        .sorted(Comparator.comparingLong(Exec::number).reversed())
        .map(Exec::info)
        .toList();
  }

  /**
   * @throws DsecException {@code NOT_FOUND} when there is none of that id (any more)
   */
  public Exec process(String id) {
    return find(id).orElseThrow(() -> DsecException.notFound("process", id));
  }

  private Optional<Exec> find(String id) {
    return known().filter(candidate -> candidate.id().equals(id)).findFirst();
  }

  private Stream<Exec> known() {
    return execs.values().stream().filter(retention::shows);
  }

  /** Kills what is left of it. Its record goes with it, once whoever waits has the result. */
  public void forget(String id) {
    find(id).ifPresent(retention::forget);
  }

  /**
   * The sandbox's processes are frozen, or run again: what limits and measures time stands still.
   */
  public void hold(boolean on) {
    synchronized (holding) {
      held = on;
      context.link().send(Messages.hold(on));
      execs.values().forEach(exec -> exec.hold(on));
    }
  }

  /** Every exec ends now as {@code ending} says for its number, and every later one at once. */
  public void endAll(LongFunction<Ending> ending) {
    if (closed == null) {
      closed = ending;
    }
    execs.forEach((number, exec) -> exec.end(ending.apply(number)));
    execs.values().forEach(Exec::onLate);
  }

  /**
   * Callers that wait are told; what runs on its own goes on, for the next node process to find.
   */
  public void abandon(Ending ending) {
    execs.values().stream().filter(Exec::awaited).forEach(exec -> exec.end(ending));
  }

  /** Sends a signal to every process that an exec started; those killed by it end with a reason. */
  public void signalAll(int signal, Reason reason) {
    execs.values().forEach(exec -> exec.reclaim(signal, reason));
  }

  /**
   * After a Welcome. Execs that nobody here knows and that this process could not have started
   * belonged to an earlier node process, whose callers are gone: they are followed to their end.
   */
  public void welcome(Welcome welcome) throws ProtocolBreach {
    Map<Long, ExecStatus> known = new HashMap<>();
    for (ExecStatus status : welcome.getExecsList()) {
      known.put(status.getExec(), status);
    }
    for (ExecStatus status : known.values()) {
      if (!execs.containsKey(status.getExec())) {
        unknown(status);
      }
    }
    for (Exec exec : execs.values()) {
      exec.resume(known.get(exec.number()));
    }
    context.link().flush();
    Boolean frozen = held;
    if (frozen != null) {
      context.link().send(Messages.hold(frozen));
    }
  }

  private void unknown(ExecStatus status) throws ProtocolBreach {
    if (status.getExec() >= first) {
      context.link().send(Messages.forget(status.getExec()));
      return;
    }
    if (execs.size() >= 2 * MAX) {
      throw new ProtocolBreach("the guest lists more execs than a sandbox may have");
    }
    long out = status.getStdoutAcked();
    long err = status.getStderrAcked();
    Exec orphan = adopt(status.getExec(), ORPHAN, context.clock().instant(), out, err);
    finishAlone(orphan, retention::drop);
  }

  public void started(Started started) throws ProtocolBreach {
    Exec exec = find(started.getExec());
    if (exec != null) {
      exec.onStarted();
    }
  }

  public void output(Output output) throws ProtocolBreach {
    Exec exec = find(output.exec());
    if (exec != null) {
      exec.onOutput(output);
    }
  }

  public void ended(Ended ended) throws ProtocolBreach {
    Exec exec = find(ended.getExec());
    if (exec != null) {
      exec.onEnded(ended);
    }
  }

  public void stdinWindow(StdinWindow window) throws ProtocolBreach {
    Exec exec = find(window.getExec());
    if (exec != null) {
      exec.onStdinWindow(window);
    }
  }

  public void late(Late late) throws ProtocolBreach {
    Exec exec = find(late.getExec());
    if (exec != null) {
      exec.onLate();
      retention.complete(exec);
    }
  }

  /** Null for one that was handed over: the guest may not have heard of it yet. */
  private @Nullable Exec find(long number) throws ProtocolBreach {
    Exec exec = execs.get(number);
    if (exec == null && (number < 1 || number >= next.get())) {
      throw new ProtocolBreach("the guest speaks of exec %d, never started".formatted(number));
    }
    return exec;
  }
}
