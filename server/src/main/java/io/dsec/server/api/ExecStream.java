// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.ExecListener;
import io.dsec.model.ExecResult;
import io.dsec.server.exec.ExecReply;
import io.helidon.webserver.CloseConnectionException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An exec as a stream: {@code start}, output, heartbeats, {@code end}, in the form that the reader
 * accepts. The reply begins with the program's start, so a program that cannot start is still an
 * error reply. A slow reader holds up its own exec's output alone. When the reader is gone the exec
 * goes on and its output is dropped here (the trajectory has it).
 */
final class ExecStream implements ExecListener, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ExecStream.class);

  private final Exchange exchange;
  private final Beats every;
  private final boolean outputAtEnd;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable ExecEncoder encoder;
  private @Nullable Future<?> beats;
  private boolean broken;

  /**
   * @param outputAtEnd nothing is told of output before the end, which brings what was kept
   */
  ExecStream(Exchange exchange, Beats every, boolean outputAtEnd) {
    this.exchange = exchange;
    this.every = every;
    this.outputAtEnd = outputAtEnd;
  }

  @Override
  public void started(String id) {
    lock.lock();
    try {
      encoder =
          exchange.accepts(Exchange.EXEC)
              ? new RecordEncoder(exchange.chunks(Exchange.EXEC))
              : new LineEncoder(exchange.stream(Exchange.NDJSON));
      write(e -> e.start(id));
    } finally {
      lock.unlock();
    }
    beats = every.start(this::beat);
  }

  @Override
  public void output(Stream stream, long offset, ByteBuffer data) {
    if (outputAtEnd) {
      return;
    }
    lock.lock();
    try {
      write(e -> e.output(stream, offset, data));
    } finally {
      lock.unlock();
    }
  }

  boolean hasStarted() {
    lock.lock();
    try {
      return encoder != null;
    } finally {
      lock.unlock();
    }
  }

  /** The last of the stream, always. */
  void end(ExecResult result) throws IOException {
    close();
    lock.lock();
    try {
      ExecReply reply = outputAtEnd ? ExecReply.of(result) : ExecReply.end(result);
      write(e -> e.end(reply));
      write(ExecEncoder::close);
      if (broken) {
        throw new CloseConnectionException("the reader of an exec is gone");
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
      write(ExecEncoder::heartbeat);
    } finally {
      lock.unlock();
    }
  }

  private interface Part {
    void writeTo(ExecEncoder encoder) throws IOException;
  }

  private void write(Part part) {
    ExecEncoder to = encoder;
    if (broken || to == null) {
      return;
    }
    try {
      part.writeTo(to);
    } catch (IOException | RuntimeException e) {
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
