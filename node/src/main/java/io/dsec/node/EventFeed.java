// SPDX-License-Identifier: Apache-2.0
package io.dsec.node;

import io.dsec.link.NodeEvents;
import io.dsec.link.SandboxReport;
import io.dsec.model.SandboxId;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the server of changes from a thread of its own, so that no sandbox waits for a server.
 * Holds ids only: a sandbox that changes twice before its turn is told once, as it then is.
 */
final class EventFeed implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EventFeed.class);

  private final NodeEvents events;
  private final Function<SandboxId, Optional<SandboxReport>> reports;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Set<SandboxId> waiting = new LinkedHashSet<>();
  private boolean closed;
  private @Nullable Thread thread;

  EventFeed(NodeEvents events, Function<SandboxId, Optional<SandboxReport>> reports) {
    this.events = events;
    this.reports = reports;
  }

  void start() {
    thread = Thread.ofVirtual().name("events").start(this::run);
  }

  void changed(SandboxId id) {
    lock.lock();
    try {
      waiting.add(id);
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    for (SandboxId id = next(); id != null; id = next()) {
      try {
        reports.apply(id).ifPresent(events::changed);
      } catch (RuntimeException e) {
        log.error("{}: the server did not take a report", id, e);
      }
    }
  }

  private @Nullable SandboxId next() {
    lock.lock();
    try {
      while (waiting.isEmpty() && !closed) {
        changed.awaitUninterruptibly();
      }
      if (waiting.isEmpty()) {
        return null;
      }
      SandboxId first = waiting.iterator().next();
      waiting.remove(first);
      return first;
    } finally {
      lock.unlock();
    }
  }

  /** Returns once everything known was told. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
    if (thread != null) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
