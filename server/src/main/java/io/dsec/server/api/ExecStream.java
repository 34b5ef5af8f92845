// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.ExecListener;
import io.dsec.link.Json;
import io.dsec.model.ExecResult;
import io.dsec.server.exec.ExecReply;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An exec as NDJSON: {@code start}, output, heartbeats, {@code end}. The reply begins with the
 * program's start, so a program that cannot start is still an error reply. A slow reader holds up
 * its own exec's output alone. When the reader is gone the exec goes on and its output is dropped
 * here (the trajectory has it).
 */
final class ExecStream implements ExecListener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ExecStream.class);
  private static final byte[] HEARTBEAT =
      "{\"heartbeat\":{}}\n".getBytes(StandardCharsets.US_ASCII);

  private final Exchange exchange;
  private final ScheduledExecutorService timer;
  private final Duration heartbeat;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable OutputStream out;
  private @Nullable LineEncoder lines;
  private @Nullable Future<?> beats;
  private boolean broken;

  ExecStream(Exchange exchange, ScheduledExecutorService timer, Duration heartbeat) {
    this.exchange = exchange;
    this.timer = timer;
    this.heartbeat = heartbeat;
  }

  @Override
  public void started(String id) {
    lock.lock();
    try {
      OutputStream stream = exchange.stream(Exchange.NDJSON);
      out = stream;
      lines = new LineEncoder(stream);
      line(Map.of("start", Map.of("id", id)));
    } finally {
      lock.unlock();
    }
    beats =
        timer.scheduleAtFixedRate(
            () -> Thread.ofVirtual().start(this::beat),
            heartbeat.toNanos(),
            heartbeat.toNanos(),
            TimeUnit.NANOSECONDS);
  }

  @Override
  public void output(Stream stream, long offset, ByteBuffer data) {
    lock.lock();
    try {
      LineEncoder encoder = lines;
      if (!broken && encoder != null) {
        encoder.write(stream, offset, data);
      }
    } catch (IOException | RuntimeException e) {
      lost(e);
    } finally {
      lock.unlock();
    }
  }

  boolean hasStarted() {
    lock.lock();
    try {
      return out != null;
    } finally {
      lock.unlock();
    }
  }

  /** The last line, always. */
  void end(ExecResult result) throws IOException {
    close();
    lock.lock();
    try {
      line(Map.of("end", ExecReply.end(result)));
      OutputStream stream = out;
      if (!broken && stream != null) {
        stream.close();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    Optional.ofNullable(beats).ifPresent(b -> b.cancel(false));
  }

  private void beat() {
    if (!lock.tryLock()) {
      return; // output is on its way: a sign of life of its own
    }
    try {
      OutputStream stream = out;
      if (!broken && stream != null) {
        stream.write(HEARTBEAT);
        stream.flush();
      }
    } catch (IOException | RuntimeException e) {
      lost(e);
    } finally {
      lock.unlock();
    }
  }

  private void line(Object value) {
    OutputStream stream = out;
    if (broken || stream == null) {
      return;
    }
    try {
      stream.write(Json.mapper().writeValueAsBytes(value));
      stream.write('\n');
      stream.flush();
    } catch (IOException | UncheckedIOException e) {
      lost(e);
    }
  }

  private void lost(Exception e) {
    if (!broken) {
      LOG.debug("{}: the reader of an exec is gone: {}", exchange.id(), e.toString());
    }
    broken = true;
  }
}
