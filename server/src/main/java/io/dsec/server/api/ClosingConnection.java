// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.helidon.common.concurrency.limits.Limit;
import io.helidon.webserver.spi.ServerConnection;
import java.time.Duration;

/** A connection whose end is heard of, whatever ends it; its peer is watched otherwise. */
record ClosingConnection(ServerConnection connection, Runnable end) implements ServerConnection {
  @Override
  public void handle(Limit limit) throws InterruptedException {
    try {
      connection.handle(limit);
    } finally {
      end.run();
    }
  }

  @Override
  public Duration idleTime() {
    return Duration.ZERO; // heartbeats tell when the peer is gone; silence alone is no fault
  }

  @Override
  public void close(boolean interrupt) {
    connection.close(interrupt);
  }
}
