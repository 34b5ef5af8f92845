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
import io.dsec.node.channel.Output;
import io.dsec.node.channel.ProtocolBreach;
import io.dsec.node.time.Timers;
import io.dsec.proto.guest.Ended;
import io.dsec.proto.guest.ExecStatus;
import io.dsec.proto.guest.Signal;
import io.dsec.proto.guest.StdinWindow;
import io.dsec.proto.guest.Window;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One command in a sandbox, from Start to its result.
 *
 * <p>The channel's reader brings output and the ending; one thread, which asked for the exec, waits
 * in {@link #await} and calls the listener there. With a listener, credit follows what the listener
 * has taken, so a slow one holds back this exec's output only; without one it follows what was
 * received.
 *
 * <p>init enforces the timeout. Should its word not come 2 s after it, the node kills the exec's
 * group itself, and after as long again makes the ending itself.
 */
public final class Exec {
  private static final Duration BACKSTOP = Duration.ofSeconds(2);
  private static final int KILL = 9;
  private static final String[] KINDS = {"exec.stdout", "exec.stderr"};

  private final long number;
  private final String id;
  private ExecSpec spec; // its input is dropped at the end
  private final Instant startedAt;
  private final ExecContext context;
  private final long refusedBefore;
  private long pidsRefused;

  private final OutputStreamState[] streams = new OutputStreamState[2];
  private final @Nullable Stdin stdin;
  private @Nullable Pieces pieces; // only with a listener
  private Timers.@Nullable Handle backstop;
  private Reason killReason = Reason.RECLAIMED;
  private long startSentOn; // number of the connection
  private long begun;
  private boolean started;
  private boolean lateOutput;
  private boolean open; // a stream may still bring output
  private boolean released;
  private boolean dismissed;
  private int readers; // that wait for output, beside the listener
  private volatile boolean awaitedByCaller;
  private long firstSeq;

  private @Nullable ExecEnd end;

  /** {@code acked}: where its output continues; not 0 only for one taken over after a restart. */
  Exec(
      long number,
      ExecSpec spec,
      Instant startedAt,
      boolean followed,
      long[] acked,
      long refusedBefore,
      ExecContext context) {
    this.number = number;
    this.id = "e-" + number;
    this.spec = spec;
    this.context = context;
    this.refusedBefore = refusedBefore;
    this.pieces = followed ? new Pieces() : null;
    this.startedAt = startedAt;
    this.stdin =
        Stdin.given(spec)
            ? new Stdin(number, spec.stdin().orElse(Bytes.EMPTY), spec.stdinOpen())
            : null;
    for (int s = 0; s < 2; s++) {
      var file = context.directory().resolve(KeptOutput.fileName(id, s));
      streams[s] = new OutputStreamState(s, new KeptOutput(file, spec.maxOutput(), acked[s]));
    }
  }

  public String id() {
    return id;
  }

  /** What can be told of it. */
  public synchronized ProcessInfo info() {
    Optional<ExecEnd> over = Optional.ofNullable(end);
    return new ProcessInfo(
        id,
        spec.argv(),
        spec.shell(),
        !awaitedByCaller,
        startedAt,
        over.map(ExecEnd::ending),
        over.map(ExecEnd::limits).orElse(Set.of()),
        over.map(ExecEnd::duration),
        streams[0].kept().received(),
        streams[1].kept().received());
  }

  public long number() {
    return number;
  }

  /** A caller waits for it, in this process. */
  void markAwaitedByCaller() {
    awaitedByCaller = true;
  }

  boolean awaitedByCaller() {
    return awaitedByCaller;
  }

  synchronized void start() {
    firstSeq = context.recorder().event("exec.start", ExecEvents.start(id, spec));
    spec.stdin()
        .filter(b -> !b.isEmpty())
        .ifPresent(b -> context.recorder().bytes("exec.stdin", id, 0, b.buffer()));
    sendStart();
    watch();
  }

  private void sendStart() {
    if (startSentOn < context.link().generation()) {
      startSentOn =
          context
              .link()
              .send(
                  Messages.start(
                      context
                          .defaults()
                          .start(number, spec)
                          .setStdoutWindow(streams[0].limit())
                          .setStderrWindow(streams[1].limit())));
    }
  }

  /** Sets the node's own alarm behind the timeout; also for an exec that was taken over. */
  synchronized void watch() {
    begun = context.timers().nanos();
    spec.timeout()
        .ifPresent(
            limit ->
                backstop =
                    context
                        .timers()
                        .after(
                            limit.plus(BACKSTOP), () -> Thread.startVirtualThread(this::overdue)));
  }

  /**
   * A connection stands again. {@code status} is what init knows of this exec; null when it never
   * heard of it.
   */
  synchronized void resume(@Nullable ExecStatus status) throws ProtocolBreach {
    if (end != null) {
      open &= status != null && !released;
      if (open) {
        startSentOn = context.link().generation();
        send(streams[0].window(number));
        send(streams[1].window(number));
      } else if (status != null && released) {
        context.link().send(Messages.forget(number));
      }
      return;
    }
    if (status == null) {
      if (started) {
        end(new Ending.Lost(Reason.CHANNEL_BROKEN), elapsed(), false);
      } else {
        sendStart();
      }
      return;
    }
    startSentOn = context.link().generation();
    checkAcked(streams[0], status.getStdoutAcked());
    checkAcked(streams[1], status.getStderrAcked());
    if (status.getStarted()) {
      onStarted();
    }
    for (OutputStreamState stream : streams) {
      send(stream.window(number));
    }
    if (stdin != null) {
      stdin.resume(status.getStdinReceived());
      stdin.pump(context.link());
    }
  }

  private void checkAcked(OutputStreamState stream, long acked) throws ProtocolBreach {
    if (acked < 0 || acked > stream.kept().received()) {
      throw new ProtocolBreach(
          "exec %d will resume at %d, past what was received".formatted(number, acked));
    }
  }

  /** Asks init to kill every process of this exec; its ending will give {@code reason}. */
  synchronized void signal(int signal, Reason reason) {
    killReason = reason;
    context.link().send(Messages.killAll(number, signal));
  }

  private void send(@Nullable Window window) {
    if (window != null) {
      context.link().send(Messages.window(window));
    }
  }

  synchronized void onStarted() {
    if (!started) {
      started = true;
      notifyAll();
    }
  }

  synchronized void onStdinWindow(StdinWindow window) {
    if (stdin != null) {
      if (window.getClosed()) {
        stdin.stop();
      }
      stdin.credit(window.getLimit());
      stdin.pump(context.link());
      notifyAll();
    }
  }

  synchronized void onOutput(Output output) throws ProtocolBreach {
    OutputStreamState stream = streams[output.stream()];
    String kind = KINDS[output.stream()];
    lateOutput |= end != null;
    ByteBuffer fresh = stream.fresh(output);
    if (fresh == null) {
      return;
    }
    long offset = stream.kept().received();
    context.recorder().bytes(kind, id, offset, fresh.duplicate());
    stream.kept().append(fresh.duplicate());
    if (pieces == null || end != null) {
      stream.taken(stream.kept().received());
    } else {
      pieces.add(output, offset, fresh);
    }
    if (pieces != null || readers > 0) {
      notifyAll();
    }
    send(stream.news(number));
  }

  synchronized void onEnded(Ended ended) throws ProtocolBreach {
    if (end != null) {
      return;
    }
    if (ended.getStdoutBytes() > streams[0].kept().received()
        || ended.getStderrBytes() > streams[1].kept().received()) {
      throw new ProtocolBreach("exec %d ended before all its output came".formatted(number));
    }
    long nanos = Math.clamp(ended.getDurationNs(), 0, elapsed().toNanos() + 1_000_000_000L);
    Ending how = Endings.of(ended, killReason);
    open = ended.getOpen();
    end(how, Duration.ofNanos(nanos), ended.getDiskFull());
  }

  /** No more output: the last child that held a stream has closed it. */
  synchronized void onLate() {
    open = false;
    notifyAll();
  }

  /** Waits until it runs, or will never. */
  synchronized void awaitStart() {
    awaitThat(() -> started || end != null);
  }

  synchronized void awaitEnd() {
    awaitThat(() -> end != null);
  }

  /** Guarded by {@code this}. An interrupt waits until it is so. */
  private void awaitThat(BooleanSupplier goal) {
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

  /**
   * Output from {@code from} on; null at the end of it. Waits for more when {@code follow} holds.
   */
  synchronized OutputCursor.@Nullable Piece read(
      int stream, long from, int max, BooleanSupplier follow) {
    KeptOutput kept = streams[stream].kept();
    readers++;
    try {
      OutputCursor.Piece piece = kept.read(from, max);
      while (piece == null && follow.getAsBoolean() && (end == null || open)) {
        wait();
        piece = kept.read(from, max);
      }
      return piece;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return null;
    } finally {
      readers--;
      if (end != null) {
        kept.rest();
      }
    }
  }

  /** One of the readers may have been closed. */
  synchronized void wakeReaders() {
    notifyAll();
  }

  /** Gives it input, waiting while it does not read; returns how much was received in all. */
  public synchronized long stdin(long offset, Bytes data, boolean close) {
    if (stdin == null) {
      throw DsecException.of(ErrorCode.CONFLICT, id + " was started without an open stdin")
          .withHint("give \"stdin_open\": true when you start it");
    }
    checkReached(stdin, offset);
    awaitThat(() -> end != null || stdin.over() || stdin.hasRoom());
    int known = offset < 0 ? 0 : (int) Math.min(stdin.received() - offset, data.length());
    Bytes fresh = data.slice(known, data.length());
    if (fresh.isEmpty() && (!close || stdin.over())) {
      return stdin.received();
    }
    if (end != null || stdin.over()) {
      throw DsecException.of(ErrorCode.CONFLICT, id + " reads no more input");
    }
    stdin.add(fresh, close);
    context.recorder().bytes("exec.stdin", id, stdin.received() - fresh.length(), fresh.buffer());
    stdin.pump(context.link());
    return stdin.received();
  }

  private void checkReached(Stdin input, long offset) {
    if (offset > input.received()) {
      throw DsecException.of(
              ErrorCode.CONFLICT,
              "the input of %s stands at %d, not at %d".formatted(id, input.received(), offset))
          .withField("offset");
    }
  }

  /** A user's signal, to the process or to its group: the ending is what comes of it. */
  public synchronized void signal(int signal, boolean group) {
    if (end != null) {
      throw DsecException.of(ErrorCode.CONFLICT, id + " has ended");
    }
    Signal.Target target = group ? Signal.Target.GROUP : Signal.Target.PROCESS;
    context.link().send(Messages.signal(number, signal, target));
  }

  /** Kills all that is left of it, children in the background too. */
  void killAll() {
    synchronized (this) {
      if (end == null) {
        signal(KILL, Reason.CANCELLED);
        return;
      }
    }
    context.killExec().accept(number);
  }

  private void overdue() {
    synchronized (this) {
      if (end != null) {
        return;
      }
      for (OutputStreamState stream : streams) {
        stream.extend();
        send(stream.window(number));
      }
      backstop =
          context.timers().after(BACKSTOP, () -> Thread.startVirtualThread(this::neverAnswered));
    }
    context.killExec().accept(number);
  }

  private void neverAnswered() {
    end(new Ending.Timeout());
  }

  /** Ends it by the node's own word, unless it has ended. */
  synchronized void end(Ending how) {
    end(how, elapsed(), false);
  }

  private Duration elapsed() {
    return begun == 0 ? Duration.ZERO : Duration.ofNanos(context.timers().nanos() - begun);
  }

  private void end(Ending ending, Duration took, boolean diskFull) {
    if (end != null) {
      return;
    }
    if (backstop != null) {
      backstop.cancel();
    }
    if (stdin != null) {
      stdin.stop();
    }
    long stdout = streams[0].kept().received();
    long stderr = streams[1].kept().received();
    boolean truncated = Math.max(stdout, stderr) > spec.maxOutput();
    pidsRefused = context.pidsRefused().getAsLong();
    boolean refused = pidsRefused > refusedBefore;
    Set<Limit> limits = new ExecEnd.Signs(diskFull, refused, truncated).limits(ending);
    context.recorder().finished(id);
    Map<String, ?> event = ExecEvents.end(id, ending, limits, stdout, stderr, took);
    long seq = context.recorder().event("exec.end", event);
    end = new ExecEnd(ending, limits, took, stdout, stderr, seq);
    spec = spec.withoutStdin();
    notifyAll();
  }

  /** Waits for the end; calls {@code listener} meanwhile. By one thread, once. */
  ExecResult await(ExecListener listener) {
    boolean told = false;
    for (; ; ) {
      Pieces.@Nullable Piece piece = null;
      synchronized (this) {
        awaitNews(told);
        if (pieces == null || ((told || !started) && !hasPieces())) {
          return result();
        }
        if (told) {
          piece = pieces.take();
        }
      }
      if (!told) {
        told = true;
        listener.started(id);
      }
      if (piece != null) {
        deliver(piece, listener);
      }
    }
  }

  /** Guarded by {@code this}. */
  private void awaitNews(boolean told) {
    awaitThat(() -> end != null || (pieces != null && (hasPieces() || (started && !told))));
  }

  private boolean hasPieces() {
    return pieces != null && !pieces.isEmpty();
  }

  private void deliver(Pieces.Piece piece, ExecListener listener) {
    long reached = piece.offset + piece.data.limit();
    try {
      listener.output(piece.name(), piece.offset, piece.data.asReadOnlyBuffer());
    } finally {
      piece.release();
    }
    synchronized (this) {
      streams[piece.stream].taken(reached);
      if (end == null) {
        send(streams[piece.stream].news(number));
      }
    }
  }

  /** Nobody listens any more: the exec goes on without. */
  synchronized void unfollow() {
    if (pieces != null) {
      pieces.clear();
      pieces = null;
    }
    for (OutputStreamState stream : streams) {
      stream.taken(stream.kept().received());
      send(stream.news(number));
    }
  }

  private ExecResult result() {
    ExecEnd over = end;
    if (over == null) {
      throw new IllegalStateException("exec has not ended: " + id);
    }
    KeptOutput stdout = streams[0].kept();
    KeptOutput stderr = streams[1].kept();
    return new ExecResult(
        id,
        over.ending(),
        over.limits(),
        stdout.kept(over.stdoutBytes()),
        stderr.kept(over.stderrBytes()),
        over.stdoutBytes(),
        over.stderrBytes(),
        over.duration(),
        firstSeq,
        over.lastSeq());
  }

  /** How often the sandbox's pids limit had refused a fork when this exec ended. */
  synchronized long pidsRefused() {
    return pidsRefused;
  }

  /** Its result was handed over. */
  synchronized void retire() {
    for (OutputStreamState stream : streams) {
      stream.kept().rest();
    }
  }

  /** init needs not hold anything of it: whoever waited has its end, and no stream is open. */
  synchronized boolean settled() {
    return awaitedByCaller && !open;
  }

  /** It is no longer to be known; its owner drops it once it has ended. */
  synchronized void dismiss() {
    dismissed = true;
  }

  synchronized boolean dismissed() {
    return dismissed;
  }

  /** True the first time: init is to be told. */
  synchronized boolean release() {
    boolean first = !released;
    released = true;
    open = false;
    notifyAll();
    return first;
  }

  synchronized int inMemoryBytes() {
    return streams[0].kept().inMemoryBytes() + streams[1].kept().inMemoryBytes();
  }

  /** The result is stored: drops what is kept, or closes it where {@code keepSpool}. */
  synchronized void dispose(boolean keepSpool) {
    for (OutputStreamState stream : streams) {
      if (keepSpool && stream.kept().spooled()) {
        stream.kept().leave();
      } else {
        stream.kept().discard();
      }
    }
    if (pieces != null) {
      pieces.clear();
    }
    if (lateOutput) {
      context.recorder().finished(id);
    }
  }
}
