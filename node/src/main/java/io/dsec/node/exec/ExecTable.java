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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
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

  /** Ended ones that can be looked up, and what they may hold in memory beside the youngest. */
  private static final int KEPT = 32;

  private static final int KEPT_BYTES = 64 << 10;

  private static final long[] FROM_START = {0, 0};

  /** Stands for a command of which only the number is known; nothing of its output is kept. */
  private static final ExecSpec ORPHAN =
      new ExecSpec(
          List.of("unknown"),
          false,
          false,
          Optional.empty(),
          Map.of(),
          Optional.empty(),
          Optional.empty(),
          false,
          Optional.empty(),
          0);

  private final ExecContext context;
  private final long first;
  private final AtomicLong next;
  private final ConcurrentHashMap<Long, Exec> execs = new ConcurrentHashMap<>(4);

  /** Ended and kept to be looked up, oldest first; of {@link #execs}; its own lock. */
  private final LinkedHashSet<Exec> over = new LinkedHashSet<>(4);

  private volatile long pidsRefused;
  private volatile @Nullable LongFunction<Ending> closed;

  /** {@code first}: number of the first exec, beyond all that were ever used in this sandbox. */
  public ExecTable(ExecContext context, long first) {
    this.context = context;
    this.first = first;
    this.next = new AtomicLong(first);
  }

  /** How many run. */
  public int size() {
    synchronized (over) {
      return execs.size() - over.size();
    }
  }

  /** Runs a command to its end, on the caller's thread. */
  public ExecResult run(ExecSpec spec, ExecListener listener) {
    Exec exec = create(next.getAndIncrement(), spec, !listener.equals(ExecListener.NONE));
    exec.markAwaitedByCaller();
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
    Exec exec = create(number, spec, false);
    note.accept(number);
    begin(exec);
    exec.awaitStart();
    ProcessInfo info = exec.info();
    if (info.ending().orElse(null) instanceof Ending.NotStarted) {
      drop(exec);
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
    return begin(create(number, spec, followed));
  }

  private Exec create(long number, ExecSpec spec, boolean followed) {
    return new Exec(
        number, spec, context.clock().instant(), followed, FROM_START, pidsRefused, context);
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
    LongFunction<Ending> end = closed;
    if (end != null) {
      exec.end(end.apply(exec.number()));
    }
    return exec;
  }

  /** An exec that ended before it could start. */
  public Exec refuse(long number, ExecSpec spec, Ending ending) {
    Exec exec = create(number, spec, false);
    exec.end(ending);
    return exec;
  }

  /**
   * Takes over an exec of an earlier node process, before the channel opens. {@code status} comes
   * with the Welcome.
   */
  public Exec adopt(
      long number, ExecSpec spec, Instant startedAt, long stdoutAcked, long stderrAcked) {
    long[] acked = {stdoutAcked, stderrAcked};
    Exec exec = new Exec(number, spec, startedAt, false, acked, pidsRefused, context);
    execs.put(number, exec);
    exec.watch();
    return exec;
  }

  public ExecResult await(Exec exec) {
    return exec.await(ExecListener.NONE);
  }

  /** The result is stored where it belongs: init may forget the exec. */
  public void handedOver(Exec exec, boolean keepSpool) {
    if (execs.remove(exec.number(), exec)) {
      context.link().send(Messages.forget(exec.number()));
    }
    exec.dispose(keepSpool);
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

  /**
   * Ended, and whoever waited has its result: it stays to be looked up, as the youngest of a few.
   * init may forget an awaited one once no child holds its streams; one in the background stays
   * known there too, so that the node's next process finds it.
   */
  private void retire(Exec exec) {
    pidsRefused = Math.max(pidsRefused, exec.pidsRefused());
    exec.retire();
    List<Exec> leaving = new ArrayList<>();
    synchronized (over) {
      if (!execs.containsKey(exec.number())) {
        return; // it never began
      }
      if (exec.dismissed()) {
        leaving.add(exec);
      } else {
        over.add(exec);
      }
      int bytes = over.stream().mapToInt(Exec::inMemoryBytes).sum();
      while (over.size() > 1 && (over.size() > KEPT || bytes > KEPT_BYTES)) {
        Exec first = over.removeFirst();
        bytes -= first.inMemoryBytes();
        leaving.add(first);
      }
    }
    if (exec.settled()) {
      release(exec);
    }
    leaving.forEach(this::drop);
  }

  private void release(Exec exec) {
    if (exec.release()) {
      context.link().send(Messages.forget(exec.number()));
    }
  }

  private void drop(Exec exec) {
    synchronized (over) {
      over.remove(exec);
    }
    if (execs.remove(exec.number(), exec)) {
      release(exec);
      exec.dispose(false);
    }
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
    return execs.values().stream().filter(exec -> !exec.dismissed());
  }

  /** Kills what is left of it. Its record goes with it, once whoever waits has the result. */
  public void forget(String id) {
    Optional<Exec> found = find(id);
    if (found.isEmpty()) {
      return;
    }
    Exec exec = found.get();
    boolean retired;
    synchronized (over) {
      exec.dismiss();
      retired = over.contains(exec);
    }
    exec.killAll();
    if (retired) {
      drop(exec);
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
    execs.values().stream().filter(Exec::awaitedByCaller).forEach(exec -> exec.end(ending));
  }

  /** Sends a signal to every process that an exec started; those killed by it end with a reason. */
  public void signalAll(int signal, Reason reason) {
    execs.values().forEach(exec -> exec.signal(signal, reason));
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
    finishAlone(orphan, this::drop);
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
      boolean retired;
      synchronized (over) {
        retired = over.contains(exec);
      }
      if (retired && exec.settled()) {
        release(exec);
      }
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
