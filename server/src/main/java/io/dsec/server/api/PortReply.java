// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Duplex;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.server.port.HttpHead;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** The head of a reply of the server on a port, or why there is none. */
record PortReply(int port, ScheduledExecutorService timer) {
  private static final Duration TO_ANSWER = Duration.ofMinutes(5);
  private static final int MOST_INTERIM = 8;
  private static final int SWITCHING = 101;

  /**
   * @param in reads what comes from {@code inside}
   * @param upgrade whether it was asked for, so that 101 is an answer
   */
  HttpHead await(Duplex inside, InputStream in, boolean upgrade) {
    AtomicBoolean late = new AtomicBoolean();
    Future<?> alarm =
        timer.schedule(
            () -> {
              late.set(true);
              inside.close();
            },
            TO_ANSWER.toNanos(),
            TimeUnit.NANOSECONDS);
    try {
      return finalHead(in, upgrade);
    } catch (IOException e) {
      throw (late.get()
              ? DsecException.of(
                  ErrorCode.TIMEOUT,
                  "the server on port %d did not answer within %d s"
                      .formatted(port, TO_ANSWER.toSeconds()))
              : DsecException.of(
                  ErrorCode.BAD_GATEWAY,
                  "the server on port %d closed the connection without an answer".formatted(port)))
          .withField("port")
          .withCause(e);
    } finally {
      alarm.cancel(false);
    }
  }

  private static HttpHead finalHead(InputStream in, boolean upgrade) throws IOException {
    for (int i = 0; i < MOST_INTERIM; i++) {
      HttpHead head = HttpHead.read(in);
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
}
