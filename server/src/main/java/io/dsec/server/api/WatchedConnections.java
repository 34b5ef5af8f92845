// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import io.helidon.common.buffers.DataWriter;
import io.helidon.common.concurrency.limits.Limit;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.common.socket.PeerInfo;
import io.helidon.common.task.InterruptableTask;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.ListenerContext;
import io.helidon.webserver.ProxyProtocolData;
import io.helidon.webserver.Router;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.spi.ServerConnectionSelector;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;

/** Connections that are read through a {@link ClientWatch}, known to who serves them. */
record WatchedConnections(ServerConnectionSelector selector) implements ServerConnectionSelector {
  @Override
  public int bytesToIdentifyConnection() {
    return selector.bytesToIdentifyConnection();
  }

  @Override
  public Support supports(BufferData data) {
    return selector.supports(data);
  }

  @Override
  public Set<String> supportedApplicationProtocols() {
    return selector.supportedApplicationProtocols();
  }

  @Override
  @SuppressWarnings("removal") // the socket's other way to read takes 8 KiB at a time
  public ServerConnection connection(ConnectionContext context) {
    ClientWatch watch = new ClientWatch(context.dataReader(), context.serverSocket()::read);
    ConnectionContext watched = new Context(context, DataReader.create(watch));
    return new Connection(selector.connection(watched), watch);
  }

  private record Connection(ServerConnection connection, ClientWatch watch)
      implements ServerConnection, InterruptableTask<Void> {
    @Override
    public void handle(Limit limit) throws InterruptedException {
      boolean _ =
          ScopedValue.where(ClientWatch.CURRENT, watch)
              .<Boolean, InterruptedException>call(
                  () -> {
                    connection.handle(limit);
                    return true;
                  });
    }

    @Override
    public boolean canInterrupt() {
      return connection instanceof InterruptableTask<?> task && task.canInterrupt();
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

  private record Context(ConnectionContext context, DataReader dataReader)
      implements ConnectionContext {
    @Override
    public ListenerContext listenerContext() {
      return context.listenerContext();
    }

    @Override
    public ExecutorService executor() {
      return context.executor();
    }

    @Override
    public DataWriter dataWriter() {
      return context.dataWriter();
    }

    @Override
    public Router router() {
      return context.router();
    }

    @Override
    public Optional<ProxyProtocolData> proxyProtocolData() {
      return context.proxyProtocolData();
    }

    @Override
    public HelidonSocket serverSocket() {
      return context.serverSocket();
    }

    @Override
    public PeerInfo remotePeer() {
      return context.remotePeer();
    }

    @Override
    public PeerInfo localPeer() {
      return context.localPeer();
    }

    @Override
    public boolean isSecure() {
      return context.isSecure();
    }

    @Override
    public String socketId() {
      return context.socketId();
    }

    @Override
    public String childSocketId() {
      return context.childSocketId();
    }
  }
}
