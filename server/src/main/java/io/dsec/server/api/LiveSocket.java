// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Json;
import io.dsec.model.DsecException;
import io.helidon.common.buffers.BufferData;
import io.helidon.websocket.WsSession;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A WebSocket of bytes in binary frames and JSON in text frames. A ping goes out at each beat: a
 * peer that answers none is dropped by the connection's read timeout, one that is gone is noticed
 * even while nothing is read from it.
 */
abstract class LiveSocket implements WebSockets.Socket {
  private static final Logger LOG = LoggerFactory.getLogger(LiveSocket.class);
  private static final int MAX_TEXT = 4096;

  private final String request;
  private final ByteArrayOutputStream text = new ByteArrayOutputStream();
  private final ReentrantLock sending = new ReentrantLock();
  private final AtomicBoolean closed = new AtomicBoolean();
  private final AtomicReference<byte @Nullable []> pong = new AtomicReference<>();
  private volatile @Nullable WsSession session;
  private @Nullable Future<?> beats;

  LiveSocket(String request) {
    this.request = request;
  }

  /** The client is there. */
  protected abstract void begin();

  /** A whole text frame; what it throws is told to the client. */
  protected abstract void hear(byte[] text);

  /** Once, however it ends. */
  protected abstract void gone();

  final void beat(Beats every) {
    beats = every.start(this::ping);
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

  final String request() {
    return request;
  }

  final boolean open() {
    return !closed.get();
  }

  @Override
  public final void onOpen(WsSession opened) {
    session = opened;
    begin();
  }

  final void tell(String name, Object value) {
    String json = Json.mapper().writeValueAsString(Map.of(name, value));
    say(s -> s.send(json, true));
  }

  final void say(Consumer<WsSession> what) {
    WsSession to = session;
    if (to == null || closed.get()) {
      return;
    }
    sending.lock();
    try {
      what.accept(to);
    } catch (RuntimeException e) {
      LOG.debug("{}: the client is gone: {}", request, e.toString());
      close();
    } finally {
      sending.unlock();
    }
  }

  @Override
  public final void onMessage(WsSession from, String part, boolean last) {
    if (text.size() + part.length() > MAX_TEXT) {
      say(s -> s.close(1009, "a text frame has at most %d characters".formatted(MAX_TEXT)));
      return;
    }
    text.writeBytes(part.getBytes(StandardCharsets.UTF_8));
    if (!last) {
      return;
    }
    byte[] whole = text.toByteArray();
    text.reset();
    try {
      hear(whole);
    } catch (DsecException e) {
      tell("error", ErrorReply.of(e, request).error());
    }
  }

  @Override
  public final void onPing(WsSession from, BufferData data) {
    byte[] echo = data.readBytes();
    if (pong.getAndSet(echo) == null) {
      Thread.ofVirtual().start(this::pong);
    }
  }

  /** To the latest ping; what is read goes on meanwhile, though the client may read nothing. */
  private void pong() {
    say(
        s -> {
          byte[] echo = pong.getAndSet(null);
          if (echo != null) {
            s.pong(BufferData.create(echo));
          }
        });
  }

  @Override
  public final void onClose(WsSession from, int status, String reason) {
    close();
  }

  @Override
  public final void onError(WsSession from, Throwable error) {
    LOG.debug("{}: the client: {}", request, error.toString());
    close();
  }

  @Override
  public final void close() {
    if (!closed.getAndSet(true)) {
      Future<?> pings = beats;
      if (pings != null) {
        pings.cancel(false);
      }
      gone();
    }
  }
}
