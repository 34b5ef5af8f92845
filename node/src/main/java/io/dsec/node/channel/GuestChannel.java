// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.channel;

import io.dsec.model.Reason;
import io.dsec.node.time.Timers;
import io.dsec.proto.guest.ToGuest;
import io.dsec.proto.guest.Welcome;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node's end of one sandbox's channel, across reconnects.
 *
 * <p>One virtual thread reads, and connects again when a connection breaks; {@link Outbound}
 * writes. An interrupt would close the socket, so neither gets one, and a caller that has one does
 * not write. What is sent while no connection stands is dropped: after each Welcome the session
 * sends again what the guest does not have.
 */
public final class GuestChannel implements GuestLink, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(GuestChannel.class);

  private final String sandbox;
  private final Path socket;
  private final GuestSession session;
  private final BooleanSupplier initAlive;
  private final ChannelSupport support;

  private volatile @Nullable Connection connection;
  private volatile boolean closed;
  private long generations;
  private int breaches;

  public GuestChannel(
      String sandbox,
      Path socket,
      GuestSession session,
      BooleanSupplier initAlive,
      ChannelSupport support) {
    this.sandbox = sandbox;
    this.socket = socket;
    this.session = session;
    this.initAlive = initAlive;
    this.support = support;
  }

  /** Connects; returns once init has answered. */
  public void open() throws IOException {
    Connection first = connect();
    Thread.ofVirtual().name("guest-reader").start(() -> run(first));
  }

  @Override
  public long send(ToGuest message) {
    Connection current = connection;
    if (current == null) {
      return 0;
    }
    current.send(message);
    return current.generation();
  }

  @Override
  public long post(ToGuest message) {
    Connection current = connection;
    if (current == null) {
      return 0;
    }
    current.post(message);
    return current.generation();
  }

  @Override
  public void flush() {
    Connection current = connection;
    if (current != null) {
      current.flush();
    }
  }

  @Override
  public long generation() {
    Connection current = connection;
    return current == null ? 0 : current.generation();
  }

  private Connection connect() throws IOException {
    Connection made = Connection.open(socket, support.pool(), ++generations);
    Timers.Handle deadline = support.timers().after(support.settings().welcome(), made::close);
    try {
      Welcome welcome = made.greet(sandbox);
      connection = made;
      if (closed) {
        throw new IOException("the channel was closed");
      }
      session.welcome(welcome);
      return made;
    } catch (IOException | RuntimeException e) {
      connection = null;
      made.dispose();
      throw e;
    } finally {
      deadline.cancel();
    }
  }

  private void run(Connection first) {
    Connection current = first;
    while (current != null) {
      try {
        current.receive(session);
      } catch (ProtocolBreach e) {
        breach(e);
      } catch (IOException e) {
        log.debug("{}: the guest channel broke: {}", sandbox, e.getMessage());
      } catch (RuntimeException e) {
        log.error("{}: the guest channel's session failed", sandbox, e);
        breaches++;
      }
      connection = null;
      current.dispose();
      current = closed ? null : reconnect();
    }
  }

  private @Nullable Connection reconnect() {
    session.interrupted();
    String last = "";
    for (Duration pause : support.settings().retries()) {
      if (breaches >= support.settings().breaches()) {
        return lost(Reason.CHANNEL_BROKEN, "the guest broke the channel's contract too often");
      }
      support.timers().pause(pause);
      if (closed) {
        return null;
      }
      if (!initAlive.getAsBoolean()) {
        return lost(Reason.INIT_DIED, "the sandbox's init is gone");
      }
      try {
        return connect();
      } catch (ProtocolBreach e) {
        breach(e);
        last = e.toString();
      } catch (IOException e) {
        last = e.toString();
      }
    }
    return closed
        ? null
        : lost(Reason.CHANNEL_BROKEN, "the sandbox's init cannot be reached: " + last);
  }

  private void breach(ProtocolBreach e) {
    breaches++;
    support.onBreach().run();
    log.warn("{}: breach of the channel's contract: {}", sandbox, e.getMessage());
  }

  private @Nullable Connection lost(Reason reason, String message) {
    closed = true;
    session.lost(reason, message);
    return null;
  }

  /** Stops for good; the session hears nothing of it. */
  @Override
  public void close() {
    closed = true;
    Connection current = connection;
    if (current != null) {
      current.close();
    }
  }
}
