// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.idrange;

import io.dsec.model.SandboxId;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Ranges from the blocks that this node has claimed; it claims another when all are taken. A range
 * given back is the last to be given out again, since the kernel remembers some things (keys,
 * message queues) by user id.
 */
public final class HostIdRanges implements IdRanges {
  private final IdRangeConfig config;
  private final BlockClaims claims;
  private final Map<SandboxId, Integer> held = new HashMap<>();
  private final Deque<Integer> free = new ArrayDeque<>();
  private final Set<Integer> blocks = new HashSet<>();

  /**
   * @param data the node's data directory, by which its claims are known
   */
  public HostIdRanges(IdRangeConfig config, Path data) {
    this.config = config;
    this.claims = new BlockClaims(config.claims(), config.blocks(), data);
    claims.own().forEach(this::add);
  }

  @Override
  public synchronized int acquire(SandboxId id) {
    Integer present = held.get(id);
    if (present != null) {
      return present;
    }
    if (free.isEmpty()) {
      add(claims.claim());
    }
    int base = free.remove();
    held.put(id, base);
    return base;
  }

  @Override
  public synchronized void adopt(SandboxId id, int base) {
    if (Integer.valueOf(base).equals(held.get(id))) {
      return;
    }
    long offset = (long) base - config.base();
    int block = (int) (offset / blockIds());
    if (offset < 0 || offset % SIZE != 0 || block >= config.blocks()) {
      throw new IllegalArgumentException("%s cannot hold ids from %d on".formatted(id, base));
    }
    if (!blocks.contains(block)) {
      if (!claims.claim(block)) {
        throw new IllegalStateException(
            "the ids of %s from %d on are claimed by another node".formatted(id, base));
      }
      add(block);
    }
    if (held.containsKey(id) || !free.remove(base)) {
      throw new IllegalStateException("the ids of %s from %d on are taken".formatted(id, base));
    }
    held.put(id, base);
  }

  @Override
  public synchronized void release(SandboxId id) {
    Integer base = held.remove(id);
    if (base != null) {
      free.add(base);
    }
  }

  private void add(int block) {
    blocks.add(block);
    for (int i = 0; i < config.blockRanges(); i++) {
      free.add(Math.toIntExact(config.base() + block * blockIds() + (long) i * SIZE));
    }
  }

  private long blockIds() {
    return (long) config.blockRanges() * SIZE;
  }
}
