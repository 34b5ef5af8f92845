// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Duplex;
import io.dsec.model.DsecException;
import io.helidon.common.buffers.BufferData;
import io.helidon.websocket.WsSession;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection with a server inside. Binary frames are its bytes, each direction at the pace of who
 * reads it; {@code {"end": {}}} ends one direction and leaves the other. It ends when both have.
 */
final class TunnelSocket extends LiveSocket {
  private static final Logger LOG = LoggerFactory.getLogger(TunnelSocket.class);
  private static final int PIECE = 64 << 10;

  /** A text frame of the client. */
  record Order(@Nullable End end) {
    record End() {}
  }

  private final Duplex inside;
  private final AtomicInteger directions = new AtomicInteger(2);
  private boolean sentAll; // by the client; its thread's

  TunnelSocket(Duplex inside, String request) {
    super(request);
    this.inside = inside;
  }

  @Override
  protected void begin() {
    Thread.ofVirtual().start(this::show);
  }

  private void show() {
    byte[] piece = new byte[PIECE];
    InputStream in = inside.input();
    try {
      for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
        int length = n;
        say(s -> s.send(BufferData.create(piece, 0, length), true));
      }
      tell("end", Map.of());
      ended();
    } catch (IOException | RuntimeException e) {
      LOG.debug("{}: a tunnel broke off: {}", request(), e.toString());
      say(s -> s.close(1011, "the connection inside broke"));
    }
  }

  private void ended() {
    if (directions.decrementAndGet() == 0) {
      say(s -> s.close(1000, "ended"));
    }
  }

  @Override
  public void onMessage(WsSession from, BufferData buffer, boolean last) {
    try {
      inside.output().write(buffer.readBytes());
      inside.output().flush();
    } catch (IOException | DsecException e) {
      LOG.debug("{}: sent to a connection that has ended: {}", request(), e.toString());
    }
  }

  @Override
  protected void hear(byte[] text) {
    if (Bodies.read(text, Order.class).end() == null || sentAll) {
      return;
    }
    sentAll = true;
    try {
      inside.output().close();
    } catch (IOException e) {
      LOG.debug("{}: ended a connection that has ended: {}", request(), e.toString());
    }
    ended();
  }

  @Override
  protected void gone() {
    inside.close();
  }
}
