// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.model.Bytes;
import io.dsec.model.DsecException;
import io.dsec.model.Ending;
import io.dsec.model.ErrorCode;
import io.dsec.model.Reason;
import io.dsec.node.channel.GuestLink;
import io.dsec.node.channel.Output;
import io.dsec.node.channel.ProtocolBreach;
import io.dsec.node.time.Timers;
import io.dsec.proto.guest.Ended;
import io.dsec.proto.guest.ExecStatus;
import io.dsec.proto.guest.Start;
import io.dsec.proto.guest.StdinWindow;
import io.dsec.proto.guest.Stream;
import io.dsec.proto.guest.ToGuest;
import io.dsec.proto.guest.Window;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A program built into the guest while it runs: its stdin and stdout, at the pace of the slower
 * side, and across reconnects of the channel. Nothing of it is recorded or kept.
 */
public final class AppletStream implements AutoCloseable {
  static final int WINDOW = 1 << 20;
  private static final int PIECE = 64 << 10;
  private static final Duration TO_END = Duration.ofSeconds(5);

  private final long number;
  private final Start.Builder start;
  private final GuestLink link;
  private final Timers timers;
  private final Runnable gone;
  private final long patience; // nanoseconds
  private final Stdin stdin;
  private final Pieces pieces = new Pieces();
  private final InputStream input = new Input();
  private final OutputStream output = new Sink();

  private Pieces.@Nullable Piece current;
  private int position;
  private long received;
  private long taken;
  private long limit = WINDOW;
  private long acked;
  private long startSentOn;
  private boolean started;
  private boolean closed;
  private @Nullable Ending ending;
  private int errno;

  /** {@code patience}: how long the guest may keep a reader or writer waiting; empty: for ever. */
  AppletStream(
      long number,
      Start.Builder start,
      GuestLink link,
      Timers timers,
      Optional<Duration> patience,
      Runnable gone) {
    this.number = number;
    this.timers = timers;
    this.start = start.setStdoutWindow(WINDOW).setStderrWindow(WINDOW);
    this.link = link;
    this.patience = patience.map(Duration::toNanos).orElse(Long.MAX_VALUE);
    this.gone = gone;
    this.stdin = new Stdin(number, Bytes.EMPTY, true);
  }

  /** Its stdout; -1 at the end of it, however it came. */
  public InputStream input() {
    return input;
  }

  /** Its stdin; closing it is end-of-file. */
  public OutputStream output() {
    return output;
  }

  synchronized void begin() {
    if (startSentOn < link.generation()) {
      startSentOn = link.send(Messages.start(start));
    }
  }

  /** Returns once it has started. */
  void awaitStart() throws IOException {
    synchronized (this) {
      await(() -> started || ending != null);
      if (started) {
        return;
      }
    }
    throw refusal();
  }

  private synchronized IOException refusal() {
    if (ending instanceof Ending.NotStarted(Reason reason, String message)) {
      if (errno != 0 && reason == Reason.EXEC_RESOURCES) {
        return new AppletRefused(errno, message);
      }
      ErrorCode code =
          switch (reason) {
            case BAD_USER -> ErrorCode.BAD_USER;
            case TOO_MANY_EXECS -> ErrorCode.RATE_LIMITED;
            default -> ErrorCode.SANDBOX_FAILED;
          };
      throw DsecException.of(code, message);
    }
    return new IOException("it ended before it began: " + ending);
  }

  /** How it ended; null while it runs. */
  public synchronized @Nullable Ending ending() {
    return ending;
  }

  synchronized void onStarted() {
    started = true;
    notifyAll();
  }

  void onStdinWindow(StdinWindow window) {
    synchronized (this) {
      if (window.getClosed()) {
        stdin.stop();
      }
      stdin.credit(window.getLimit());
      stdin.post(link);
      notifyAll();
    }
    link.flush();
  }

  synchronized void onOutput(Output data) throws ProtocolBreach {
    if (data.stream() != Stream.STDOUT_VALUE) {
      return; // applets say nothing there
    }
    long end = data.offset() + data.data().remaining();
    if (data.offset() > received || end > limit) {
      throw new ProtocolBreach(
          "output of applet %d from %d to %d, expected from %d, credit %d"
              .formatted(number, data.offset(), end, received, limit));
    }
    if (end <= received) {
      return;
    }
    int known = (int) (received - data.offset());
    ByteBuffer fresh =
        data.data().slice(data.data().position() + known, data.data().remaining() - known);
    if (closed) {
      taken = end;
    } else {
      pieces.add(data, received, fresh);
    }
    received = end;
    if (closed) {
      tellWindow();
    }
    notifyAll();
  }

  synchronized void onEnded(Ended ended) throws ProtocolBreach {
    if (ending == null && ended.getStdoutBytes() > received) {
      throw new ProtocolBreach("applet %d ended before all its output came".formatted(number));
    }
    errno = ended.getErrno();
    end(Endings.of(ended, Reason.CANCELLED));
    link.post(Messages.forget(number));
  }

  /** It has ended, or is given up: whoever waits is told. */
  synchronized void end(Ending how) {
    if (ending == null) {
      ending = how;
      stdin.stop();
      gone.run();
      notifyAll();
    }
  }

  /** A connection stands again; {@code status} is null when init does not know it. */
  synchronized void resume(@Nullable ExecStatus status) throws ProtocolBreach {
    if (status == null) {
      if (started) {
        end(new Ending.Lost(Reason.CHANNEL_BROKEN));
      } else {
        begin();
      }
      return;
    }
    startSentOn = link.generation();
    if (status.getStdoutAcked() < 0 || status.getStdoutAcked() > received) {
      throw new ProtocolBreach("applet %d resumes past what was received".formatted(number));
    }
    started |= status.getStarted();
    tellWindow();
    stdin.resume(status.getStdinReceived());
    stdin.post(link);
    if (closed) {
      kill();
    }
    notifyAll();
  }

  private void tellWindow() {
    link.send(window());
  }

  private ToGuest window() {
    limit = Math.max(limit, taken + WINDOW);
    acked = received;
    Window.Builder window =
        Window.newBuilder().setExec(number).setStream(Stream.STDOUT).setAcked(acked);
    return Messages.window(window.setLimit(limit).build());
  }

  /** Guarded by {@code this}. */
  private void await(BooleanSupplier goal) throws IOException {
    long begun = timers.nanos();
    while (!goal.getAsBoolean()) {
      if (closed) {
        throw new IOException("the stream was closed");
      }
      long left = patience - (timers.nanos() - begun);
      if (left <= 0) {
        throw DsecException.of(
            ErrorCode.TIMEOUT,
            "nothing moved inside the sandbox for %d s".formatted(patience / 1_000_000_000));
      }
      park(left);
    }
  }

  /** Until something has changed, or so many nanoseconds. Guarded by {@code this}. */
  private void park(long longest) throws InterruptedIOException {
    try {
      TimeUnit.NANOSECONDS.timedWait(this, longest);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException();
    }
  }

  private synchronized int take(byte[] into, int from, int count) throws IOException {
    await(() -> current != null || !pieces.isEmpty() || ending != null);
    if (current == null) {
      current = pieces.take();
      position = 0;
      if (current == null) {
        return -1;
      }
    }
    int size = Math.min(count, current.data.limit() - position);
    current.data.get(position, into, from, size);
    position += size;
    if (position == current.data.limit()) {
      current.release();
      current = null;
    }
    taken += size;
    if (taken + WINDOW - limit >= WINDOW / 2) {
      tellWindow();
    }
    return size;
  }

  private void put(Bytes data, boolean close) throws IOException {
    synchronized (this) {
      await(() -> ending != null || stdin.over() || stdin.hasRoom());
      if (ending != null || stdin.over()) {
        if (close && data.isEmpty()) {
          return;
        }
        throw new IOException("it reads no more");
      }
      if (received > acked) {
        link.post(window()); // travels with what follows
      }
      stdin.add(data, close);
      stdin.post(link);
    }
    link.flush();
  }

  /** Writes {@code data}, which the caller leaves alone from now on. */
  public void send(Bytes data) throws IOException {
    put(data, false);
  }

  /** True when {@link #input} has something, be it its end; false when nothing came in time. */
  public synchronized boolean awaitInput(Duration limit) throws IOException {
    long begun = timers.nanos();
    while (current == null && pieces.isEmpty() && ending == null && !closed) {
      long left = limit.toNanos() - (timers.nanos() - begun);
      if (left <= 0) {
        return false;
      }
      park(left);
    }
    return true;
  }

  /** End-of-file, and then as {@link #close}: it undoes what it has begun. */
  public void hangUp() {
    try {
      output.close();
    } catch (IOException | DsecException _) {
      // it reads nothing more: there is nothing to tell it
    }
    close();
  }

  private void kill() {
    link.send(Messages.killAll(number, Messages.KILL));
  }

  /**
   * Drops what it says from now on, and kills it: at once, or when its input was ended, after a
   * while for it to do what is left. Safe to repeat.
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (current != null) {
      current.release();
      current = null;
    }
    pieces.clear();
    taken = received;
    if (ending == null) {
      tellWindow();
      if (stdin.over()) {
        timers.after(TO_END, this::killUnlessEnded);
      } else {
        kill();
      }
    }
    notifyAll();
  }

  private synchronized void killUnlessEnded() {
    if (ending == null) {
      kill();
    }
  }

  private final class Input extends InputStream {
    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int from, int count) throws IOException {
      return count == 0 ? 0 : take(into, from, count);
    }
  }

  private final class Sink extends OutputStream {
    @Override
    public void write(int one) throws IOException {
      write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] data, int from, int count) throws IOException {
      for (int at = 0; at < count; at += PIECE) {
        int begin = from + at;
        byte[] piece = Arrays.copyOfRange(data, begin, begin + Math.min(PIECE, count - at));
        put(Bytes.wrap(piece), false);
      }
    }

    @Override
    public void close() throws IOException {
      put(Bytes.EMPTY, true);
    }
  }
}
