// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.helidon.common.concurrency.limits.Limit;
import io.helidon.webserver.spi.ServerConnection;
import java.time.Duration;

/** A connection whose socket hears of its end, whatever ends it. */
record ClosingConnection(ServerConnection connection, WebSockets.Socket socket)
    implements ServerConnection {
  @Override
  public void handle(Limit limit) throws InterruptedException {
    try {
      connection.handle(limit);
    } finally {
      socket.close();
    }
  }

  @Override
  public Duration idleTime() {
    return connection.idleTime();
  }

  @Override
  public void close(boolean interrupt) {
    connection.close(interrupt);
  }
}
