// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.queue;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.Priority;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Bounded line of waiting work: classes in order of priority, tenants in turn inside a class, first
 * come first served inside a tenant. Work that no node can take now is passed over and keeps its
 * place.
 */
public final class WaitingLine<T> {
  private final int limit;
  private final Map<Priority, Map<String, Deque<T>>> classes = new EnumMap<>(Priority.class);
  private int size;

  public WaitingLine(int limit) {
    this.limit = limit;
    for (Priority priority : Priority.values()) {
      classes.put(priority, new LinkedHashMap<>());
    }
  }

  /** {@code no_capacity} when the line is full. */
  public synchronized void checkRoom() {
    if (size >= limit) {
      throw DsecException.of(
              ErrorCode.NO_CAPACITY, "%d sandboxes wait already; the queue is full".formatted(size))
          .withRetryAfter(Duration.ofSeconds(5));
    }
  }

  public synchronized void add(Priority priority, String tenant, T item) {
    deque(priority, tenant).addLast(item);
    size++;
    notifyAll();
  }

  /** Puts back what was taken, before all others of its tenant. Wakes nobody. */
  public synchronized void giveBack(Priority priority, String tenant, T item) {
    deque(priority, tenant).addFirst(item);
    size++;
  }

  public synchronized boolean remove(T item) {
    for (Map<String, Deque<T>> tenants : classes.values()) {
      for (Deque<T> line : tenants.values()) {
        if (line.remove(item)) {
          size--;
          return true;
        }
      }
    }
    return false;
  }

  /** The next item that is eligible, waiting for one up to {@code limit}. */
  public synchronized Optional<T> take(Predicate<T> eligible, Duration limit)
      throws InterruptedException {
    long deadline = System.nanoTime() + limit.toNanos();
    Optional<T> next = next(eligible);
    while (next.isEmpty()) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return next;
      }
      wait(Math.max(1, left / 1_000_000));
      next = next(eligible);
    }
    return next;
  }

  /** Something changed outside: look again. */
  public synchronized void wake() {
    notifyAll();
  }

  public synchronized int size() {
    return size;
  }

  private Optional<T> next(Predicate<T> eligible) {
    for (Map<String, Deque<T>> tenants : classes.values()) {
      for (String tenant : List.copyOf(tenants.keySet())) {
        Deque<T> line = Objects.requireNonNull(tenants.get(tenant));
        Optional<T> found = first(line, eligible);
        if (found.isPresent()) {
          size--;
          tenants.remove(tenant);
          if (!line.isEmpty()) {
            tenants.put(tenant, line); // last in turn now
          }
          return found;
        }
      }
    }
    return Optional.empty();
  }

  private static <T> Optional<T> first(Deque<T> line, Predicate<T> eligible) {
    for (Iterator<T> it = line.iterator(); it.hasNext(); ) {
      T item = it.next();
      if (eligible.test(item)) {
        it.remove();
        return Optional.of(item);
      }
    }
    return Optional.empty();
  }

  private Deque<T> deque(Priority priority, String tenant) {
    return Objects.requireNonNull(classes.get(priority))
        .computeIfAbsent(tenant, _ -> new ArrayDeque<>());
  }
}
