// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.link.ExecListener;
import io.dsec.model.Ending;
import io.dsec.model.ExecResult;
import io.dsec.model.ExecSpec;
import io.dsec.model.Limit;
import io.dsec.model.Reason;
import io.dsec.node.channel.Output;
import io.dsec.node.channel.ProtocolBreach;
import io.dsec.node.time.Timers;
import io.dsec.proto.guest.Ended;
import io.dsec.proto.guest.ExecStatus;
import io.dsec.proto.guest.Signal;
import io.dsec.proto.guest.StdinWindow;
import io.dsec.proto.guest.ToGuest;
import io.dsec.proto.guest.Window;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One command in a sandbox, from Start to its result.
 *
 * <p>The channel's reader brings output and the ending; one thread, which asked for the exec, waits
 * in {@link #await} and calls the listener there. With a listener, credit follows what the listener
 * has taken, so a slow one holds back this exec's output only; without one it follows what was
 * received.
 *
 * <p>init enforces the timeout. Should its word not come {@value #BACKSTOP_SECONDS} s after it, the
 * node kills the exec's group itself, and after as long again makes the ending itself.
 */
public final class Exec {
  private static final int BACKSTOP_SECONDS = 2;
  private static final Duration BACKSTOP = Duration.ofSeconds(BACKSTOP_SECONDS);
  private static final String[] KINDS = {"exec.stdout", "exec.stderr"};

  private final long number;
  private final String id;
  private final ExecSpec spec;
  private final ExecContext context;
  private final long refusedBefore;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final OutputStreamState[] streams = new OutputStreamState[2];
  private final @Nullable Stdin stdin;
  private @Nullable Pieces pieces; // only with a listener
  private Timers.@Nullable Handle backstop;
  private Reason killReason = Reason.RECLAIMED;
  private long startSentOn; // number of the connection
  private long begun;
  private boolean started;
  private boolean lateOutput;
  private long firstSeq;

  private @Nullable Ending ending;
  private Set<Limit> limits = Set.of();
  private Duration duration = Duration.ZERO;
  private long lastSeq;

  /** {@code acked}: where its output continues; not 0 only for one taken over after a restart. */
  Exec(
      long number,
      ExecSpec spec,
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
    this.stdin = spec.stdin().filter(b -> !b.isEmpty()).map(b -> new Stdin(number, b)).orElse(null);
    for (int s = 0; s < 2; s++) {
      var file = context.directory().resolve(spoolName(id, s));
      streams[s] = new OutputStreamState(s, new KeptOutput(file, spec.maxOutput(), acked[s]));
    }
  }

  public static String spoolName(String exec, int stream) {
    return exec + (stream == 0 ? ".stdout" : ".stderr");
  }

  public String id() {
    return id;
  }

  public long number() {
    return number;
  }

  // ---- towards the guest

  void start() {
    lock.lock();
    try {
      firstSeq = context.recorder().event("exec.start", ExecEvents.start(id, spec));
      spec.stdin()
          .filter(b -> !b.isEmpty())
          .ifPresent(b -> context.recorder().bytes("exec.stdin", id, 0, b.buffer()));
      sendStart();
      watch();
    } finally {
      lock.unlock();
    }
  }

  private void sendStart() {
    if (startSentOn < context.link().generation()) {
      startSentOn =
          context
              .link()
              .send(
                  ToGuest.newBuilder()
                      .setStart(
                          context
                              .defaults()
                              .start(number, spec)
                              .setStdoutWindow(streams[0].limit())
                              .setStderrWindow(streams[1].limit()))
                      .build());
    }
  }

  private void watch() {
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
  void resume(@Nullable ExecStatus status) throws ProtocolBreach {
    lock.lock();
    try {
      if (ending != null) {
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
        markStarted();
      }
      for (OutputStreamState stream : streams) {
        send(stream.window(number));
      }
      if (stdin != null) {
        stdin.resume(status.getStdinReceived());
        stdin.pump(context.link());
      }
    } finally {
      lock.unlock();
    }
  }

  /** Takes over one that an earlier node process started; {@link #resume} follows. */
  void adopt() {
    lock.lock();
    try {
      watch();
    } finally {
      lock.unlock();
    }
  }

  private void checkAcked(OutputStreamState stream, long acked) throws ProtocolBreach {
    if (acked < 0 || acked > stream.kept().received()) {
      throw new ProtocolBreach(
          "exec %d will resume at %d, past what was received".formatted(number, acked));
    }
  }

  /** Asks init to kill every process of this exec; its ending will give {@code reason}. */
  void signal(int signal, Reason reason) {
    lock.lock();
    try {
      killReason = reason;
      context
          .link()
          .send(
              ToGuest.newBuilder()
                  .setSignal(
                      Signal.newBuilder()
                          .setExec(number)
                          .setSignal(signal)
                          .setTarget(Signal.Target.ALL)
                          .setWhy(Signal.Why.RECLAIM))
                  .build());
    } finally {
      lock.unlock();
    }
  }

  private void send(@Nullable Window window) {
    if (window != null) {
      context.link().send(ToGuest.newBuilder().setWindow(window).build());
    }
  }

  // ---- from the guest, on the reader's thread

  void onStarted() {
    lock.lock();
    try {
      markStarted();
    } finally {
      lock.unlock();
    }
  }

  private void markStarted() {
    if (!started) {
      started = true;
      if (pieces != null) {
        changed.signal();
      }
    }
  }

  void onStdinWindow(StdinWindow window) {
    lock.lock();
    try {
      if (stdin != null) {
        if (window.getClosed()) {
          stdin.stop();
        }
        stdin.credit(window.getLimit());
        stdin.pump(context.link());
      }
    } finally {
      lock.unlock();
    }
  }

  void onOutput(Output output) throws ProtocolBreach {
    lock.lock();
    try {
      OutputStreamState stream = streams[output.stream()];
      String kind = KINDS[output.stream()];
      if (ending != null) {
        lateOutput = true;
        context.recorder().bytes(kind, id, output.offset(), output.data());
        return;
      }
      ByteBuffer fresh = stream.fresh(output);
      if (fresh == null) {
        return;
      }
      long offset = stream.kept().received();
      context.recorder().bytes(kind, id, offset, fresh.duplicate());
      stream.kept().append(fresh.duplicate());
      if (pieces == null) {
        stream.taken(stream.kept().received());
      } else {
        pieces.add(output, offset, fresh);
        changed.signal();
      }
      send(stream.news(number));
    } finally {
      lock.unlock();
    }
  }

  void onEnded(Ended ended) throws ProtocolBreach {
    lock.lock();
    try {
      if (ending != null) {
        return;
      }
      if (ended.getStdoutBytes() > streams[0].kept().received()
          || ended.getStderrBytes() > streams[1].kept().received()) {
        throw new ProtocolBreach("exec %d ended before all its output came".formatted(number));
      }
      long nanos = Math.clamp(ended.getDurationNs(), 0, elapsed().toNanos() + 1_000_000_000L);
      Ending how = Endings.of(ended, killReason);
      end(how, Duration.ofNanos(nanos), ended.getDiskFull());
    } finally {
      lock.unlock();
    }
  }

  // ---- the end

  private void overdue() {
    lock.lock();
    try {
      if (ending != null) {
        return;
      }
      for (OutputStreamState stream : streams) {
        stream.extend();
        send(stream.window(number));
      }
      backstop =
          context.timers().after(BACKSTOP, () -> Thread.startVirtualThread(this::neverAnswered));
    } finally {
      lock.unlock();
    }
    context.killExec().accept(number);
  }

  private void neverAnswered() {
    end(new Ending.Timeout());
  }

  /** Ends it by the node's own word, unless it has ended. */
  void end(Ending how) {
    lock.lock();
    try {
      end(how, elapsed(), false);
    } finally {
      lock.unlock();
    }
  }

  private Duration elapsed() {
    return Duration.ofNanos(context.timers().nanos() - begun);
  }

  private void end(Ending how, Duration took, boolean diskFull) {
    if (ending != null) {
      return;
    }
    if (backstop != null) {
      backstop.cancel();
    }
    ending = how;
    duration = took;
    limits = limits(how, diskFull);
    context.recorder().finished(id);
    lastSeq =
        context
            .recorder()
            .event(
                "exec.end",
                ExecEvents.end(
                    id,
                    how,
                    limits,
                    streams[0].kept().received(),
                    streams[1].kept().received(),
                    took));
    changed.signalAll();
  }

  private Set<Limit> limits(Ending how, boolean diskFull) {
    Set<Limit> hit = EnumSet.noneOf(Limit.class);
    if (how instanceof Ending.Oom) {
      hit.add(Limit.MEMORY);
    }
    if (diskFull) {
      hit.add(Limit.DISK);
    }
    if (!(how instanceof Ending.NotStarted) && context.pidsRefused().getAsLong() > refusedBefore) {
      hit.add(Limit.PIDS);
    }
    for (OutputStreamState stream : streams) {
      if (stream.kept().received() > spec.maxOutput()) {
        hit.add(Limit.OUTPUT);
      }
    }
    return hit;
  }

  /** Waits for the end; calls {@code listener} meanwhile. By one thread, once. */
  ExecResult await(ExecListener listener) {
    boolean told = false;
    for (; ; ) {
      Pieces.@Nullable Piece piece = null;
      lock.lock();
      try {
        boolean followed = pieces != null;
        while (ending == null && !(followed && (hasPieces() || (started && !told)))) {
          changed.awaitUninterruptibly();
        }
        if (!followed || ((told || !started) && !hasPieces())) {
          return result();
        }
        if (told && pieces != null) {
          piece = pieces.take();
        }
      } finally {
        lock.unlock();
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

  private boolean hasPieces() {
    return pieces != null && !pieces.isEmpty();
  }

  private void deliver(Pieces.Piece piece, ExecListener listener) {
    long end = piece.offset + piece.data.limit();
    try {
      listener.output(piece.name(), piece.offset, piece.data.asReadOnlyBuffer());
    } finally {
      piece.release();
    }
    lock.lock();
    try {
      streams[piece.stream].taken(end);
      if (ending == null) {
        send(streams[piece.stream].news(number));
      }
    } finally {
      lock.unlock();
    }
  }

  /** Nobody listens any more: the exec goes on without. */
  void unfollow() {
    lock.lock();
    try {
      if (pieces != null) {
        pieces.clear();
        pieces = null;
      }
      for (OutputStreamState stream : streams) {
        stream.taken(stream.kept().received());
        send(stream.news(number));
      }
    } finally {
      lock.unlock();
    }
  }

  private ExecResult result() {
    if (ending == null) {
      throw new IllegalStateException("exec has not ended: " + id);
    }
    return new ExecResult(
        id,
        ending,
        limits,
        streams[0].kept().kept(),
        streams[1].kept().kept(),
        streams[0].kept().received(),
        streams[1].kept().received(),
        duration,
        firstSeq,
        lastSeq);
  }

  /** The result is stored: drops what is kept, or closes it where {@code keepSpool}. */
  void dispose(boolean keepSpool) {
    lock.lock();
    try {
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
    } finally {
      lock.unlock();
    }
  }
}
