// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.admit;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/**
 * Whether one more sandbox fits. Nothing is counted by hand: the caller passes what the live ones
 * hold, under the lock that also enters the new one, so that checking and reserving are one step.
 */
public final class Admission {
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final double CPU_SLACK = 1e-6; // sums of decimal cores are not exact

  private final Guarantee capacity;
  private final int maxSandboxes;
  private final DiskGate disk;

  public Admission(Guarantee capacity, int maxSandboxes, DiskGate disk) {
    this.capacity = capacity;
    this.maxSandboxes = maxSandboxes;
    this.disk = disk;
  }

  public Guarantee capacity() {
    return capacity;
  }

  /** Never below zero. */
  public Guarantee free(Collection<Guarantee> held) {
    return new Guarantee(
        Math.max(0, capacity.cpu() - cpu(held)), Math.max(0, capacity.memory() - memory(held)));
  }

  /**
   * @throws DsecException {@code NO_CAPACITY}, saying what is short
   */
  public void check(Guarantee wanted, Collection<Guarantee> held) {
    List<String> short_ = new ArrayList<>();
    if (held.size() >= maxSandboxes) {
      short_.add("%d sandboxes are here, the limit".formatted(maxSandboxes));
    }
    double cpu = capacity.cpu() - cpu(held);
    if (wanted.cpu() > cpu + CPU_SLACK) {
      short_.add(String.format(Locale.ROOT, "%.2f cores are free, %.2f wanted", cpu, wanted.cpu()));
    }
    long memory = capacity.memory() - memory(held);
    if (wanted.memory() > memory) {
      short_.add(
          "%d MiB of memory are free, %d MiB wanted"
              .formatted(memory >> 20, wanted.memory() >> 20));
    }
    disk.shortage().ifPresent(short_::add);
    if (!short_.isEmpty()) {
      throw DsecException.of(
              ErrorCode.NO_CAPACITY, "this node has no room: " + String.join("; ", short_))
          .withRetryAfter(SOON);
    }
  }

  private static double cpu(Collection<Guarantee> held) {
    return held.stream().mapToDouble(Guarantee::cpu).sum();
  }

  private static long memory(Collection<Guarantee> held) {
    return held.stream().mapToLong(Guarantee::memory).sum();
  }
}
