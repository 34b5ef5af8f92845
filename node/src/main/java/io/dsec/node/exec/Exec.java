// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.link.ExecListener;
import io.dsec.link.OutputCursor;
import io.dsec.model.Bytes;
import io.dsec.model.DsecException;
import io.dsec.model.Ending;
import io.dsec.model.ErrorCode;
import io.dsec.model.ExecResult;
import io.dsec.model.ExecSpec;
import io.dsec.model.Limit;
import io.dsec.model.ProcessInfo;
import io.dsec.model.Reason;
import io.dsec.model.TerminalSize;
import io.dsec.node.channel.Output;
import io.dsec.node.channel.ProtocolBreach;
import io.dsec.proto.guest.Ended;
import io.dsec.proto.guest.ExecStatus;
import io.dsec.proto.guest.Signal;
import io.dsec.proto.guest.Start;
import io.dsec.proto.guest.StdinWindow;
import io.dsec.proto.guest.ToGuest;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One command in a sandbox, from Start to its result. The channel's reader brings output and the
 * ending; one thread, which asked for the exec, may wait in {@link #await}.
 *
 * <p>init enforces the timeout. Should its word not come in time ({@link Deadline}), the node kills
 * the exec's group itself, and after as long again makes the ending itself.
 */
public final class Exec {
  private final long number;
  private final String id;
  private final boolean awaited;
  private final Instant startedAt;
  private final long refusedBefore;
  private final ExecContext context;
  private final ExecInput input;
  private final ExecOutput output;
  private final Readers readers;
  private final Deadline deadline;
  private final HangUp hangUp = new HangUp();

  private ExecSpec spec; // its input is dropped at the end
  private Phase phase = Phase.STARTING;
  private Reason killReason = Reason.RECLAIMED;
  private long startSentOn; // number of the connection
  private long firstSeq;
  private long pidsRefused;
  private @Nullable ExecEnd end; // from LINGERING on

  Exec(Beginning beginning, ExecContext context) {
    this.number = beginning.number();
    this.id = beginning.id();
    this.awaited = beginning.awaited();
    this.startedAt = beginning.at();
    this.refusedBefore = beginning.refusedBefore();
    this.context = context;
    this.spec = beginning.spec();
    this.output = new ExecOutput(beginning, context);
    this.readers = new Readers(this, output);
    this.input = new ExecInput(this, spec, context);
    this.deadline = new Deadline(context.timers(), this::overdue);
  }

  public String id() {
    return id;
  }

  public long number() {
    return number;
  }

  /** A caller waits for it, in this process. */
  boolean awaited() {
    return awaited;
  }

  /** Under this exec's lock. */
  Phase phase() {
    return phase;
  }

  /** What can be told of it. */
  public synchronized ProcessInfo info() {
    Optional<ExecEnd> over = Optional.ofNullable(end);
    return new ProcessInfo(
        id,
        spec.argv(),
        spec.shell(),
        !awaited,
        spec.terminal().isPresent(),
        spec.session(),
        startedAt,
        over.map(ExecEnd::ending),
        over.map(ExecEnd::limits).orElse(Set.of()),
        over.map(ExecEnd::duration),
        output.received(0),
        output.received(1));
  }

  /** Records and posts it; its owner flushes. */
  synchronized void start() {
    firstSeq = context.recorder().event("exec.start", ExecEvents.start(id, spec));
    spec.stdin()
        .filter(b -> !b.isEmpty())
        .ifPresent(b -> context.recorder().bytes("exec.stdin", id, 0, b.buffer()));
    if (startSentOn < context.link().generation()) {
      startSentOn = context.link().post(startMessage());
    }
    watch();
  }

  /** Who waits for the end alone needs not be told of the start. */
  private ToGuest startMessage() {
    Start.Builder start = context.defaults().start(number, spec);
    output.windows(start);
    return Messages.start(start.setQuiet(awaited && !output.followed()));
  }

  /** Sets the node's own alarm behind the timeout; also for an exec that was taken over. */
  synchronized void watch() {
    deadline.begin(spec.timeout());
  }

  /** While its sandbox is frozen, its time stands still. */
  synchronized void hold(boolean on) {
    if (phase.ended()) {
      return;
    }
    if (on) {
      deadline.hold();
    } else {
      deadline.release();
    }
  }

  /**
   * A connection stands again. {@code status} is what init knows of this exec; null when it never
   * heard of it.
   */
  synchronized void resume(@Nullable ExecStatus status) throws ProtocolBreach {
    if (phase.ended()) {
      resumeEnded(status != null);
      return;
    }
    if (status == null) {
      if (phase == Phase.RUNNING) {
        end(new Ending.Lost(Reason.CHANNEL_BROKEN), deadline.elapsed(), Phase.OVER, false);
      } else if (startSentOn < context.link().generation()) {
        startSentOn = context.link().send(startMessage());
      }
      return;
    }
    startSentOn = context.link().generation();
    output.checkResumes(status);
    if (status.getStarted()) {
      onStarted();
    }
    output.sendWindows();
    input.resume(status.getStdinReceived());
  }

  private void resumeEnded(boolean known) {
    if (phase == Phase.RELEASED) {
      if (known) {
        context.link().send(Messages.forget(number));
      }
    } else if (!known) {
      phase = Phase.OVER;
    } else if (phase == Phase.LINGERING) {
      startSentOn = context.link().generation();
      output.sendWindows();
    }
  }

  synchronized void onStarted() {
    if (phase == Phase.STARTING) {
      phase = Phase.RUNNING;
      notifyAll();
    }
  }

  void onStdinWindow(StdinWindow window) {
    synchronized (this) {
      input.window(window);
      notifyAll();
    }
    context.link().flush();
  }

  synchronized void onOutput(Output piece) throws ProtocolBreach {
    if (output.take(piece, phase.ended()) && (output.followed() || readers.any())) {
      notifyAll();
    }
  }

  synchronized void onEnded(Ended ended) throws ProtocolBreach {
    if (phase.ended()) {
      return;
    }
    if (ended.getStdoutBytes() > output.received(0)
        || ended.getStderrBytes() > output.received(1)) {
      throw new ProtocolBreach("exec %d ended before all its output came".formatted(number));
    }
    long nanos =
        Math.clamp(ended.getDurationNs(), 0, deadline.elapsed().toNanos() + 1_000_000_000L);
    Phase next = ended.getOpen() ? Phase.LINGERING : Phase.OVER;
    end(Endings.of(ended, killReason), Duration.ofNanos(nanos), next, ended.getDiskFull());
  }

  /** No more output: the last child that held a stream has closed it. */
  synchronized void onLate() {
    if (phase == Phase.LINGERING) {
      phase = Phase.OVER;
      notifyAll();
    }
  }

  /** Waits until it runs, or will never. */
  synchronized void awaitStart() {
    awaitThat(() -> phase != Phase.STARTING);
  }

  synchronized void awaitEnd() {
    awaitThat(() -> phase.ended());
  }

  /** Waits for the end, but not longer; an interrupt ends the waiting too. */
  public synchronized void awaitEnd(Duration longest) {
    long until = context.timers().nanos() + longest.toNanos();
    try {
      for (long left = longest.toNanos();
          !phase.ended() && left > 0;
          left = until - context.timers().nanos()) {
        TimeUnit.NANOSECONDS.timedWait(this, left);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** Under this exec's lock. An interrupt waits until it is so. */
  void awaitThat(BooleanSupplier goal) {
    boolean interrupted = false;
    while (!goal.getAsBoolean()) {
      try {
        wait();
      } catch (InterruptedException _) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits for the end; calls {@code listener} meanwhile. By one thread, once. */
  ExecResult await(ExecListener listener) {
    return new Waiter(this, output, listener).await();
  }

  /** Nobody listens any more: the exec goes on without. */
  synchronized void unfollow() {
    output.unfollow();
  }

  /**
   * Output from {@code from} on; null at the end of it. Waits for more when {@code follow} holds.
   */
  OutputCursor.@Nullable Piece read(int stream, long from, int max, BooleanSupplier follow) {
    return readers.read(stream, from, max, follow);
  }

  /** Somebody who waits for it may have left. */
  synchronized void wake() {
    notifyAll();
  }

  /**
   * Gives it input, waiting while it does not read, unless {@code gone} holds; returns how much was
   * received in all.
   */
  long stdin(long offset, Bytes data, boolean end, BooleanSupplier gone) {
    long received;
    synchronized (this) {
      received = input.give(offset, data, end, gone);
    }
    context.link().flush();
    return received;
  }

  /** Follows its terminal, from at most {@code recent} bytes back. */
  public synchronized OutputCursor attach(long recent) {
    checkTerminal();
    long from = Math.max(0, output.received(0) - recent);
    return new ProcessOutput(this, ExecListener.Stream.STDOUT, from, true).pacing();
  }

  public synchronized void resize(TerminalSize size) {
    checkTerminal();
    if (!phase.ended()) {
      spec = spec.onTerminal(size);
      context.link().send(Messages.resize(number, size));
    }
  }

  private void checkTerminal() {
    if (spec.terminal().isEmpty()) {
      throw DsecException.of(ErrorCode.CONFLICT, id + " runs on no terminal");
    }
  }

  /** From now on its output waits for this reader, and for no other. */
  synchronized void pacedBy(ProcessOutput reader) {
    output.pacedBy(reader);
  }

  /** {@code reader} has taken the bytes before {@code offset}. */
  synchronized void paced(ProcessOutput reader, long offset) {
    output.paced(reader, offset, phase.ended());
  }

  /** {@code reader} is closed. */
  synchronized void detached(ProcessOutput reader) {
    output.detached(reader);
    notifyAll();
  }

  /** Signals every process of this exec; an ending that comes of it gives {@code reason}. */
  synchronized void reclaim(int signal, Reason reason) {
    killReason = reason;
    context.link().send(Messages.killAll(number, signal));
  }

  /** A user's signal, to the process or to its group: the ending is what comes of it. */
  public synchronized void signal(int signal, boolean group) {
    if (phase.ended()) {
      throw DsecException.of(ErrorCode.CONFLICT, id + " has ended");
    }
    Signal.Target target = group ? Signal.Target.GROUP : Signal.Target.PROCESS;
    context.link().send(Messages.signal(number, signal, target));
  }

  /** Kills all that is left of it, children in the background too; a terminal hangs up first. */
  void killAll() {
    synchronized (this) {
      if (!phase.ended()) {
        if (spec.terminal().isEmpty() || !hangUp.begin(number, context, this::killAll)) {
          reclaim(Messages.KILL, Reason.CANCELLED);
        }
        return;
      }
    }
    context.killExec().accept(number);
  }

  private void overdue() {
    synchronized (this) {
      if (phase.ended() || deadline.held()) {
        return;
      }
      output.extend();
      deadline.again(() -> end(new Ending.Timeout()));
    }
    context.killExec().accept(number);
  }

  /** Ends it by the node's own word, unless it has ended. */
  synchronized void end(Ending how) {
    if (!phase.ended()) {
      end(how, deadline.elapsed(), Phase.OVER, false);
    }
  }

  private void end(Ending ending, Duration took, Phase next, boolean diskFull) {
    deadline.cancel();
    input.stop();
    long stdout = output.received(0);
    long stderr = output.received(1);
    pidsRefused = context.pidsRefused().getAsLong();
    boolean refused = pidsRefused > refusedBefore;
    Set<Limit> limits = new ExecEnd.Signs(diskFull, refused, output.truncated()).limits(ending);
    context.recorder().finished(id);
    Map<String, ?> event = ExecEvents.end(id, ending, limits, stdout, stderr, took);
    long seq = context.recorder().event("exec.end", event);
    end = new ExecEnd(ending, limits, took, began(), stdout, stderr, seq);
    phase = next;
    spec = spec.withoutStdin();
    notifyAll();
  }

  /** Whether it runs or ran. Under this exec's lock. */
  boolean began() {
    return end == null ? phase == Phase.RUNNING : end.began();
  }

  /** After its end; under this exec's lock. */
  ExecResult result() {
    ExecEnd over = end();
    return new ExecResult(
        id,
        over.ending(),
        over.limits(),
        output.kept(0, over.stdoutBytes()),
        output.kept(1, over.stderrBytes()),
        over.stdoutBytes(),
        over.stderrBytes(),
        over.duration(),
        firstSeq,
        over.lastSeq());
  }

  private ExecEnd end() {
    ExecEnd over = end;
    if (over == null) {
      throw new IllegalStateException("exec has not ended: " + id);
    }
    return over;
  }

  /** How often the sandbox's pids limit had refused a fork when this exec ended. */
  synchronized long pidsRefused() {
    return pidsRefused;
  }

  /** Its result was handed over: files close until they are needed again. */
  synchronized void rest() {
    output.rest(0);
    output.rest(1);
  }

  /** init needs not hold anything of it: whoever waited has its end, and no stream is open. */
  synchronized boolean settled() {
    return awaited && !phase.open();
  }

  /** After its end: true the first time, when init is to be told. */
  synchronized boolean release() {
    boolean first = phase != Phase.RELEASED;
    phase = Phase.RELEASED;
    notifyAll();
    return first;
  }

  synchronized int inMemoryBytes() {
    return output.inMemoryBytes();
  }

  synchronized long onDiskBytes() {
    return output.onDiskBytes();
  }

  /** The result is stored: drops what is kept, or closes it where {@code keepSpool}. */
  synchronized void dispose(boolean keepSpool) {
    ExecEnd over = end();
    boolean late =
        output.received(0) > over.stdoutBytes() || output.received(1) > over.stderrBytes();
    output.dispose(keepSpool);
    if (late) {
      context.recorder().finished(id);
    }
  }
}
