// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Json;
import io.dsec.link.NodeCommands;
import io.dsec.link.OutputCursor;
import io.dsec.model.Bytes;
import io.dsec.model.DsecException;
import io.dsec.model.ProcessInfo;
import io.dsec.model.SandboxId;
import io.dsec.model.TerminalSize;
import io.dsec.server.exec.Execs;
import io.dsec.server.exec.ProcessReply;
import io.dsec.server.tenant.Caller;
import io.helidon.common.buffers.BufferData;
import io.helidon.websocket.WsSession;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client at a terminal. What it types goes on as fast as the program reads; what the terminal
 * shows comes as fast as the client reads, and the program waits for it. Closing it leaves the
 * program running. A peer that answers no ping is dropped by the connection's read timeout.
 */
final class TerminalSocket implements WebSockets.Socket {
  private static final Logger LOG = LoggerFactory.getLogger(TerminalSocket.class);
  private static final int MAX_TEXT = 4096;
  private static final Duration END_WAIT = Duration.ofSeconds(10);
  private static final long APPEND = -1;

  /** Where the program is. */
  record Place(Execs execs, Caller caller, SandboxId sandbox, String process) {
    <T> T on(java.util.function.Function<NodeCommands, T> call) {
      try {
        return execs.on(caller, sandbox, call);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }
  }

  /** A text frame of the client. */
  record Order(@Nullable Size resize, tools.jackson.databind.@Nullable JsonNode signal) {
    record Size(int cols, int rows) {}
  }

  private final Place place;
  private final OutputCursor output;
  private final String request;
  private final StringBuilder text = new StringBuilder();
  private final ReentrantLock sending = new ReentrantLock();
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile @Nullable WsSession session;
  private @Nullable Future<?> beats;

  TerminalSocket(Place place, OutputCursor output, String request) {
    this.place = place;
    this.output = output;
    this.request = request;
  }

  void beat(ScheduledExecutorService timer, Duration every) {
    long nanos = every.toNanos();
    beats =
        timer.scheduleAtFixedRate(
            () -> Thread.ofVirtual().start(this::ping), nanos, nanos, TimeUnit.NANOSECONDS);
  }

  private void ping() {
    if (sending.tryLock()) { // else the client hears of us anyway
      try {
        say(s -> s.ping(BufferData.empty()));
      } finally {
        sending.unlock();
      }
    }
  }

  @Override
  public void onOpen(WsSession opened) {
    session = opened;
    Thread.ofVirtual().start(this::show);
  }

  /** Takes output to the client until the end of the program or of the connection. */
  private void show() {
    try {
      long at = output.offset();
      tell("start", Map.of("id", place.process(), "offset", at));
      for (OutputCursor.Piece p = output.next(); p != null; p = output.next()) {
        if (p.offset() > at) {
          tell("gap", Map.of("from", at, "to", p.offset()));
        }
        at = p.offset() + p.data().length();
        byte[] bytes = p.data().toArray();
        say(s -> s.send(BufferData.create(bytes), true));
      }
      if (!closed.get()) {
        end();
      }
    } catch (RuntimeException e) {
      LOG.debug("{}: a terminal broke off: {}", request, e.toString());
      say(s -> s.close(1011, "the terminal broke off"));
    }
  }

  private void end() {
    ProcessInfo info = place.on(node -> node.process(place.sandbox(), place.process(), END_WAIT));
    ProcessReply reply = ProcessReply.of(info);
    tell("end", reply);
    say(s -> s.close(1000, "ended"));
  }

  private void tell(String name, Object value) {
    String json = Json.mapper().writeValueAsString(Map.of(name, value));
    say(s -> s.send(json, true));
  }

  private void say(Consumer<WsSession> what) {
    WsSession to = session;
    if (to == null || closed.get()) {
      return;
    }
    sending.lock();
    try {
      what.accept(to);
    } catch (RuntimeException e) {
      LOG.debug("{}: the client of a terminal is gone: {}", request, e.toString());
      to.terminate();
    } finally {
      sending.unlock();
    }
  }

  @Override
  public void onMessage(WsSession from, BufferData buffer, boolean last) {
    Bytes typed = Bytes.wrap(buffer.readBytes());
    try {
      long _ = place.on(node -> node.stdin(place.sandbox(), place.process(), APPEND, typed, false));
    } catch (DsecException e) {
      LOG.debug("{}: typed at a terminal that has ended: {}", request, e.message());
    }
  }

  @Override
  public void onMessage(WsSession from, String part, boolean last) {
    if (text.length() + part.length() > MAX_TEXT) {
      from.close(1009, "a text frame has at most %d characters".formatted(MAX_TEXT));
      return;
    }
    text.append(part);
    if (!last) {
      return;
    }
    byte[] whole = text.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8);
    text.setLength(0);
    try {
      obey(Bodies.read(whole, Order.class));
    } catch (DsecException e) {
      tell("error", ErrorReply.of(e, request).error());
    }
  }

  private void obey(Order order) {
    if (order.resize() != null) {
      resize(new TerminalSize(order.resize().cols(), order.resize().rows()));
    }
    if (order.signal() != null) {
      int number = new SignalRequest(order.signal(), true).number();
      boolean _ =
          place.on(
              node -> {
                node.signal(place.sandbox(), place.process(), number, true);
                return true;
              });
    }
  }

  void resize(TerminalSize size) {
    boolean _ =
        place.on(
            node -> {
              node.resize(place.sandbox(), place.process(), size);
              return true;
            });
  }

  @Override
  public void onPing(WsSession from, BufferData data) {
    from.pong(data);
  }

  @Override
  public void onClose(WsSession from, int status, String reason) {
    close();
  }

  @Override
  public void onError(WsSession from, Throwable error) {
    LOG.debug("{}: the client of a terminal: {}", request, error.toString());
    close();
  }

  @Override
  public void close() {
    if (!closed.getAndSet(true)) {
      Future<?> pings = beats;
      if (pings != null) {
        pings.cancel(false);
      }
      output.close();
    }
  }
}
