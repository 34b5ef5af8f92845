// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Json;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * An NDJSON reply. A followed one sends its head at once, each line as it comes, and a heartbeat
 * while there is none: so the reader knows that it is still there, and a reader that is gone is
 * noticed and {@code source}, which the lines come from, closed.
 */
final class Lines implements AutoCloseable {
  /** Readers of NDJSON skip empty lines, and so do {@code jq} and ours. */
  static final byte[] EMPTY_LINE = {'\n'};

  private final ReentrantLock lock = new ReentrantLock();
  private final OutputStream out;
  private final boolean followed;
  private final byte[] beat;
  private final Runnable source;
  private @Nullable Future<?> beats;
  private boolean gone;

  private Lines(OutputStream out, boolean followed, byte[] beat, Runnable source) {
    this.out = out;
    this.followed = followed;
    this.beat = beat;
    this.source = source;
  }

  /** What there is, to its end. */
  static Lines whole(Exchange exchange) {
    OutputStream out = new BufferedOutputStream(exchange.stream(Exchange.NDJSON), 128 << 10);
    return new Lines(out, false, EMPTY_LINE, () -> {});
  }

  static Lines followed(Exchange exchange, Beats every, byte[] beat, Runnable source)
      throws IOException {
    return followed(exchange, every, beat, beat, source);
  }

  /** {@code first}: a line that comes before any beat, with its end. */
  static Lines followed(Exchange exchange, Beats every, byte[] first, byte[] beat, Runnable source)
      throws IOException {
    Lines lines =
        new Lines(
            new BufferedOutputStream(exchange.stream(Exchange.NDJSON), 8_192), true, beat, source);
    lines.out.write(first);
    lines.out.flush();
    lines.beats = every.start(lines::beat);
    return lines;
  }

  void json(Object value) throws IOException {
    line(Json.mapper().writeValueAsBytes(value));
  }

  void line(byte[] line) throws IOException {
    lock.lock();
    try {
      out.write(line);
      out.write('\n');
      if (followed) {
        out.flush();
      }
    } finally {
      lock.unlock();
    }
  }

  /** False once the reader is known to be gone. */
  boolean open() {
    lock.lock();
    try {
      return !gone;
    } finally {
      lock.unlock();
    }
  }

  private void beat() {
    if (!lock.tryLock()) {
      return; // a line is on its way: a sign of life of its own
    }
    try {
      out.write(beat);
      out.flush();
    } catch (IOException | RuntimeException _) {
      gone = true;
      source.run();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() throws IOException {
    if (beats != null) {
      beats.cancel(false);
    }
    lock.lock();
    try {
      if (!gone) {
        out.close();
      }
    } finally {
      lock.unlock();
    }
  }
}
