// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.server.time.Timer;
import io.helidon.common.buffers.DataReader;
import io.helidon.webserver.CloseConnectionException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a client sends, read on behalf of its connection. A handler that waits for something else
 * can meanwhile have it looked after: whether the client is gone shows only to who reads. What is
 * read in doing so is the connection's next input; nothing is lost.
 */
final class ClientWatch implements Supplier<byte @Nullable []> {
  /** Of the connection that the current thread serves. */
  static final ScopedValue<ClientWatch> CURRENT = ScopedValue.newInstance();

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

    byte @Nullable [] get() {
      if (failure != null) {
        throw failure;
      }
      return bytes;
    }
  }

  private final DataReader source;
  private boolean ahead;
  private @Nullable Piece piece;

  ClientWatch(DataReader source) {
    this.source = source;
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
      while (ahead) {
        wait();
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      throw new CloseConnectionException("interrupted");
    }
    Piece known = piece;
    piece = null;
    return known;
  }

  private Piece read() {
    try {
      source.ensureAvailable();
      return new Piece(source.readBytes(source.available()), null);
    } catch (DataReader.InsufficientDataAvailableException _) {
      return new Piece(null, null);
    } catch (RuntimeException e) {
      return new Piece(null, e);
    }
  }

  /** For one call, which has read all of its body when it begins the watch. */
  Watch watch(Timer timer, Runnable gone) {
    return new Watch(timer, gone);
  }

  /** Tells {@code gone} of a client that has left, or has ended what it sends, until closed. */
  final class Watch implements AutoCloseable {
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
          start = timer.after(LATER, this::look);
        }
      }
    }

    private void look() {
      synchronized (ClientWatch.this) {
        if (over || ahead || piece != null) {
          return;
        }
        ahead = true;
      }
      Piece found = read();
      while (found.isTimeout() && !isOver()) {
        found = read();
      }
      boolean left;
      synchronized (ClientWatch.this) {
        ahead = false;
        piece = found.isTimeout() ? null : found; // else its time begins anew
        left = !over && found.bytes == null;
        ClientWatch.this.notifyAll();
      }
      if (left) {
        gone.run();
      }
    }

    private boolean isOver() {
      synchronized (ClientWatch.this) {
        return over;
      }
    }

    @Override
    public void close() {
      synchronized (ClientWatch.this) {
        over = true;
        if (start != null) {
          start.cancel(false);
        }
      }
    }
  }
}
