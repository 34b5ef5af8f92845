// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Duplex;
import io.dsec.model.DsecException;
import io.dsec.server.time.Timer;
import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import io.helidon.common.concurrency.limits.Limit;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.spi.ServerConnection;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client and a server inside, joined: bytes go both ways, each at the pace of its reader. It ends
 * when the server ends its side, for a connection of HTTP cannot be closed by half towards the
 * client. A client's end is passed on; the server has a little time then to say what is left.
 */
final class PortTunnel implements ServerConnection {
  private static final Logger LOG = LoggerFactory.getLogger(PortTunnel.class);
  private static final Duration LINGER = Duration.ofSeconds(5);
  private static final int PIECE = 64 << 10;

  private final ConnectionContext client;
  private final Duplex inside;
  private final InputStream in;
  private final Timer timer;

  /** {@code in} reads what comes from {@code inside}, and may hold some already. */
  PortTunnel(ConnectionContext client, Duplex inside, InputStream in, Timer timer) {
    this.client = client;
    this.inside = inside;
    this.in = in;
    this.timer = timer;
  }

  @Override
  public void handle(Limit limit) throws InterruptedException {
    Thread down = Thread.ofVirtual().start(this::down);
    try {
      up();
      var _ = timer.after(LINGER, inside::close);
      down.join();
    } catch (IOException | RuntimeException e) {
      LOG.debug("a tunnel ended: {}", e.toString());
    } finally {
      inside.close();
      down.join();
    }
  }

  /** To the end of what the client sends. */
  private void up() throws IOException {
    DataReader reader = client.dataReader();
    OutputStream out = inside.output();
    while (awaitInput(reader)) {
      out.write(reader.readBytes(reader.available()));
      out.flush();
    }
    out.close();
  }

  private static boolean awaitInput(DataReader reader) {
    while (true) {
      try {
        reader.ensureAvailable();
        return true;
      } catch (DataReader.InsufficientDataAvailableException _) {
        return false;
      } catch (RuntimeException e) {
        if (!ClientWatch.timedOut(e)) {
          throw e;
        }
        // quiet for a while, as a WebSocket may be
      }
    }
  }

  private void down() {
    byte[] piece = new byte[PIECE];
    try {
      for (int n = in.read(piece); n >= 0; n = in.read(piece)) {
        client.dataWriter().writeNow(BufferData.create(piece, 0, n));
      }
    } catch (IOException | DsecException e) {
      LOG.debug("a server inside broke off: {}", e.toString());
    } catch (RuntimeException e) {
      LOG.debug("a client is gone: {}", e.toString());
    } finally {
      inside.close();
      client.serverSocket().close();
    }
  }

  @Override
  public Duration idleTime() {
    return Duration.ZERO;
  }

  @Override
  public void close(boolean interrupt) {
    inside.close();
  }
}
