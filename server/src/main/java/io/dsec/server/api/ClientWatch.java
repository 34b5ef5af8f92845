// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.server.exec.Presence;
import io.dsec.server.time.Timer;
import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import io.helidon.webserver.CloseConnectionException;
import java.io.UncheckedIOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * What a client sends, read on behalf of its connection. A handler that waits for something else
 * can meanwhile have it looked after: whether the client is gone shows only to who reads. What is
 * read in doing so is the connection's next input; nothing is lost.
 */
final class ClientWatch implements Supplier<byte @Nullable []> {
  /** Of the connection that the current thread serves. */
  static final ScopedValue<ClientWatch> CURRENT = ScopedValue.newInstance();

  /** What is read ahead at most, more or less. */
  private static final int AHEAD = 1 << 20;

  /** Of one read. */
  private static final int LEAST = 8 << 10;

  private static final int MOST = 128 << 10;

  /** Short calls are spared the watching. */
  private static final Duration LATER = Duration.ofSeconds(1);

  /** One read; without bytes and failure it is the end of what the client sends. */
  private static final class Piece {
    private final byte @Nullable [] bytes;
    private final @Nullable RuntimeException failure;

    Piece(byte @Nullable [] bytes, @Nullable RuntimeException failure) {
      this.bytes = bytes;
      this.failure = failure;
    }

    boolean isTimeout() {
      return failure != null && timedOut(failure);
    }

    int size() {
      return bytes == null ? 0 : bytes.length;
    }

    byte @Nullable [] get() {
      if (failure != null) {
        throw failure;
      }
      return bytes;
    }
  }

  private final DataReader begun;
  private final ToIntFunction<BufferData> socket;
  private int size = LEAST;
  private final Deque<Piece> pieces = new ArrayDeque<>();
  private final Set<Watch> watches = new HashSet<>();
  private int held;
  private boolean ahead;

  /**
   * @param begun holds what was read to tell which protocol the client speaks
   * @param socket reads into a buffer; -1 at the end
   */
  ClientWatch(DataReader begun, ToIntFunction<BufferData> socket) {
    this.begun = begun;
    this.socket = socket;
  }

  /** Nothing came for as long as the connection is read at a time: no fault of a quiet client. */
  static boolean timedOut(RuntimeException e) {
    for (Throwable cause = e; cause != null; cause = cause.getCause()) {
      if (cause instanceof SocketTimeoutException) {
        return true;
      }
    }
    return false;
  }

  @Override
  public byte @Nullable [] get() {
    Piece known = awaitAhead();
    return known != null ? known.get() : read().get();
  }

  private synchronized @Nullable Piece awaitAhead() {
    try {
      while (pieces.isEmpty() && ahead) {
        wait();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new CloseConnectionException("interrupted");
    }
    Piece known = pieces.poll();
    held -= known == null ? 0 : known.size();
    return known;
  }

  private Piece read() {
    try {
      return new Piece(begun.available() > 0 ? begun.readBytes(begun.available()) : some(), null);
    } catch (UncheckedIOException e) {
      return new Piece(null, new CloseConnectionException("cannot read from the client", e));
    } catch (RuntimeException e) {
      return new Piece(null, e);
    }
  }

  /** What the client sends of any length is read in pieces that grow: fewer calls, fewer waits. */
  private byte @Nullable [] some() {
    BufferData buffer = BufferData.create(size);
    int count = socket.applyAsInt(buffer);
    if (count < 0) {
      return null;
    }
    size = count == size ? Math.min(2 * size, MOST) : Math.max(count, LEAST);
    return buffer.readBytes();
  }

  /** Reads ahead while somebody watches and it is not too much. */
  private void look() {
    Piece found = read();
    while (keep(found)) {
      found = read();
    }
    tell();
  }

  /** False when no more is to be read. */
  private synchronized boolean keep(Piece found) {
    if (!found.isTimeout()) { // else the next reader's time begins anew
      pieces.add(found);
      held += found.size();
    }
    ahead = !watches.isEmpty() && room();
    notifyAll();
    return ahead;
  }

  private boolean room() {
    return held < AHEAD && !ended();
  }

  private boolean ended() {
    Piece last = pieces.peekLast();
    return last != null && last.bytes == null;
  }

  private void tell() {
    List<Watch> told = new ArrayList<>();
    synchronized (this) {
      if (ended()) {
        told.addAll(watches);
        watches.clear();
      }
    }
    told.forEach(w -> w.gone.run());
  }

  /** For one call, which begins the watch when it waits for something else than the client. */
  Watch watch(Timer timer, Runnable gone) {
    return new Watch(timer, gone);
  }

  /** Of the current call, begun; of nobody on a thread that serves no connection. */
  static Presence.Watch begin(Timer timer, Runnable gone) {
    if (!CURRENT.isBound()) {
      return () -> {};
    }
    Watch watch = CURRENT.get().watch(timer, gone);
    watch.begin();
    return watch;
  }

  /** Tells {@code gone} of a client that has left, or has ended what it sends, until closed. */
  final class Watch implements Presence.Watch {
    private final Timer timer;
    private final Runnable gone;
    private boolean over;
    private @Nullable Future<?> start;

    private Watch(Timer timer, Runnable gone) {
      this.timer = timer;
      this.gone = gone;
    }

    void begin() {
      synchronized (ClientWatch.this) {
        if (!over) {
          start = timer.after(LATER, this::start);
        }
      }
    }

    private void start() {
      boolean looks;
      synchronized (ClientWatch.this) {
        if (over) {
          return;
        }
        watches.add(this);
        looks = !ahead && room();
        ahead |= looks;
      }
      if (looks) {
        look();
      } else {
        tell();
      }
    }

    @Override
    public void close() {
      synchronized (ClientWatch.this) {
        over = true;
        watches.remove(this);
        if (start != null) {
          start.cancel(false);
        }
      }
    }
  }
}
