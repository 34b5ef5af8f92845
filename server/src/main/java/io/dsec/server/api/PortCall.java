// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Duplex;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.server.port.HttpHead;
import io.dsec.server.time.Timer;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.Future;

/**
 * A connection with a server inside, for one request of the current connection's client: it ends
 * when the client leaves, and when the server takes too long to answer.
 */
final class PortCall implements AutoCloseable {
  private static final Duration TO_ANSWER = Duration.ofMinutes(5);
  private static final int MOST_INTERIM = 8;
  private static final int SWITCHING = 101;

  private final Duplex inside;
  private final InputStream input;
  private final int port;
  private final Timer timer;
  private final ClientWatch.Watch watch;
  private volatile boolean gone;
  private volatile boolean late;
  private boolean released;

  PortCall(Duplex inside, int port, Timer timer) {
    this.inside = inside;
    this.input = new BufferedInputStream(inside.input());
    this.port = port;
    this.timer = timer;
    this.watch = ClientWatch.CURRENT.get().watch(timer, this::leave);
  }

  int port() {
    return port;
  }

  InputStream input() {
    return input;
  }

  OutputStream output() {
    return inside.output();
  }

  /** The client has sent all of its request: from now on it is watched. */
  void watch() {
    watch.begin();
  }

  /** The client has left. */
  void leave() {
    gone = true;
    inside.close();
  }

  boolean gone() {
    return gone;
  }

  /**
   * The head of the reply, or why there is none.
   *
   * @param upgrade whether it was asked for, so that 101 is an answer
   */
  HttpHead reply(boolean upgrade) {
    Future<?> alarm =
        timer.after(
            TO_ANSWER,
            () -> {
              late = true;
              inside.close();
            });
    try {
      return finalHead(upgrade);
    } catch (IOException e) {
      throw unanswered(e);
    } finally {
      alarm.cancel(false);
    }
  }

  private HttpHead finalHead(boolean upgrade) throws IOException {
    for (int i = 0; i < MOST_INTERIM; i++) {
      HttpHead head = HttpHead.read(input);
      int status = head.status();
      if (status >= 200 || (status == SWITCHING && upgrade)) {
        return head;
      }
      if (status == SWITCHING) {
        break;
      }
    }
    throw new EOFException("no final answer");
  }

  DsecException unanswered(IOException e) {
    return (late
            ? DsecException.of(
                ErrorCode.TIMEOUT,
                "the server on port %d did not answer within %d s"
                    .formatted(port, TO_ANSWER.toSeconds()))
            : DsecException.of(
                ErrorCode.BAD_GATEWAY,
                "the server on port %d closed the connection without an answer".formatted(port)))
        .withField("port")
        .withCause(e);
  }

  /** The connection is the caller's from now on, and nobody watches the client for it. */
  Duplex release() {
    watch.close();
    released = true;
    return inside;
  }

  @Override
  public void close() {
    watch.close();
    if (!released) {
      inside.close();
    }
  }
}
