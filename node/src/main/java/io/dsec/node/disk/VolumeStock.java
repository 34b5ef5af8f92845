// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.disk;

import io.dsec.node.host.BlockingCalls;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Volumes made ahead, since making one takes 10 to 30 ms: for each of the few sizes asked for last,
 * a small number. One thread fills at a time, so that making ahead never takes all of them.
 */
final class VolumeStock {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeStock.class);
  private static final int SIZES = 4;

  private final Ext4Volumes volumes;
  private final BlockingCalls calls;
  private final int perSize;
  private final Map<Long, Deque<String>> ready = new LinkedHashMap<>(8, 0.75f, true);
  private boolean filling;
  private boolean closed;

  VolumeStock(Ext4Volumes volumes, BlockingCalls calls, int perSize) {
    this.volumes = volumes;
    this.calls = calls;
    this.perSize = perSize;
  }

  /** Runs on a thread that may block. */
  String take(long bytes) {
    return poll(bytes).orElseGet(() -> volumes.make(bytes));
  }

  private synchronized Optional<String> poll(long bytes) {
    String name = ready.computeIfAbsent(bytes, b -> new ArrayDeque<>()).poll();
    if (ready.size() > SIZES) {
      var coldest = ready.entrySet().iterator().next();
      ready.remove(coldest.getKey());
      calls.later(() -> discard(coldest.getValue()));
    }
    if (!filling && !closed && perSize > 0) {
      filling = true;
      calls.later(this::fillOne);
    }
    return Optional.ofNullable(name);
  }

  private void fillOne() {
    Long bytes = wanted();
    if (bytes == null) {
      return;
    }
    try {
      String name = volumes.make(bytes);
      if (!put(bytes, name)) {
        volumes.destroy(name);
      }
      calls.later(this::fillOne);
    } catch (RuntimeException e) {
      LOG.warn("no stock of volumes of {} bytes: {}", bytes, e.getMessage());
      stopFilling();
    }
  }

  private synchronized @Nullable Long wanted() {
    Long wanted = null;
    for (var entry : ready.entrySet()) {
      if (entry.getValue().size() < perSize) {
        wanted = entry.getKey(); // the one asked for last wins
      }
    }
    filling = wanted != null && !closed;
    return filling ? wanted : null;
  }

  private synchronized void stopFilling() {
    filling = false;
  }

  private synchronized boolean put(long bytes, String name) {
    Deque<String> same = closed ? null : ready.get(bytes);
    return same != null && same.add(name);
  }

  private void discard(Deque<String> names) {
    names.forEach(volumes::destroy);
  }

  synchronized int size() {
    return ready.values().stream().mapToInt(Deque::size).sum();
  }

  void close() {
    Deque<String> rest = new ArrayDeque<>();
    synchronized (this) {
      closed = true;
      ready.values().forEach(rest::addAll);
      ready.clear();
    }
    discard(rest);
  }
}
