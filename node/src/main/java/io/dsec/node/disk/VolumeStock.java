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
 * a small number, once a size was asked for twice. One thread fills at a time, so that making ahead
 * never takes all of them.
 */
final class VolumeStock {
  private static final Logger LOG = LoggerFactory.getLogger(VolumeStock.class);
  private static final int SIZES = 4;

  private final Ext4Volumes volumes;
  private final BlockingCalls calls;
  private final int perSize;
  private final Map<Long, Shelf> shelves = new LinkedHashMap<>(8, 0.75f, true);
  private boolean filling;
  private boolean closed;

  private static final class Shelf {
    final Deque<String> ready = new ArrayDeque<>();
    boolean wanted;
  }

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
    Shelf shelf = shelves.get(bytes);
    if (shelf == null) {
      shelves.put(bytes, new Shelf());
      dropColdest();
      return Optional.empty();
    }
    shelf.wanted = true;
    if (!filling && !closed) {
      filling = true;
      calls.later(this::fillOne);
    }
    return Optional.ofNullable(shelf.ready.poll());
  }

  private void dropColdest() {
    if (shelves.size() > SIZES) {
      var coldest = shelves.entrySet().iterator().next();
      shelves.remove(coldest.getKey());
      calls.later(() -> discard(coldest.getValue().ready));
    }
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
    for (var entry : shelves.entrySet()) {
      if (entry.getValue().wanted && entry.getValue().ready.size() < perSize) {
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
    Shelf shelf = closed ? null : shelves.get(bytes);
    return shelf != null && shelf.ready.add(name);
  }

  private void discard(Deque<String> names) {
    names.forEach(volumes::destroy);
  }

  synchronized int size() {
    return shelves.values().stream().mapToInt(shelf -> shelf.ready.size()).sum();
  }

  void close() {
    Deque<String> rest = new ArrayDeque<>();
    synchronized (this) {
      closed = true;
      shelves.values().forEach(shelf -> rest.addAll(shelf.ready));
      shelves.clear();
    }
    discard(rest);
  }
}
