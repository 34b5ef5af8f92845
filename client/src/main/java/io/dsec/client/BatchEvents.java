// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Events of one batch over as many connections as it takes: after a break it goes on behind the
 * last event seen. Use from one thread; close from any.
 */
public final class BatchEvents implements AutoCloseable {
  private static final Duration FIRST_WAIT = Duration.ofMillis(200);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(5);
  private static final int MAX_FAILURES = 10;

  /** What a server says that stops, starts or has too much to do. */
  private static final Set<ErrorCode> PASSING =
      Set.of(ErrorCode.NO_CAPACITY, ErrorCode.RATE_LIMITED, ErrorCode.INTERNAL, ErrorCode.TIMEOUT);

  private final Transport transport;
  private final String path;
  private final Pause pause;
  private final Map<String, String> headers = new HashMap<>(Map.of("Accept", "text/event-stream"));
  private volatile @Nullable InputStream in;
  private volatile boolean closed;
  private @Nullable SseReader reader;
  private int failures;

  BatchEvents(Transport transport, String path, Pause pause) {
    this.transport = transport;
    this.path = path;
    this.pause = pause;
  }

  /**
   * The next event; null once closed. The server ends the stream after the batch's last event, so
   * stop asking when the batch is over.
   *
   * @throws ConnectionException when ten tries in a row brought nothing
   */
  public @Nullable BatchEvent next() {
    while (!closed) {
      try {
        BatchEvent event = opened().next();
        if (event != null) {
          failures = 0;
          if (event.id() != null) {
            headers.put("Last-Event-ID", event.id());
          }
          return event;
        }
        again(new IOException("the stream of events ended"));
      } catch (IOException e) {
        again(e);
      } catch (ConnectionException e) {
        again(new IOException(e));
      } catch (DsecException e) {
        if (!PASSING.contains(e.code())) {
          throw e;
        }
        again(new IOException(e));
      }
    }
    return null;
  }

  private SseReader opened() {
    SseReader present = reader;
    if (present == null) {
      InputStream stream = transport.stream("GET", path, null, headers);
      in = stream;
      present = new SseReader(stream);
      reader = present;
    }
    return present;
  }

  private void again(IOException cause) {
    reader = null;
    if (closed) {
      return;
    }
    failures++;
    if (failures >= MAX_FAILURES) {
      throw transport.lost("GET " + path, cause);
    }
    Duration wait = FIRST_WAIT.multipliedBy(1L << Math.min(failures - 1, 10));
    try {
      pause.of(wait.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wait);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw transport.lost("GET " + path, new IOException(e));
    }
  }

  @Override
  public void close() {
    closed = true;
    InputStream open = in;
    if (open != null) {
      try {
        open.close();
      } catch (IOException e) {
        throw transport.lost("GET " + path, e);
      }
    }
  }
}
