// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.admit;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;

/**
 * Takes no new sandbox while the node's disk is nearly full. Opens again only when use has fallen
 * by {@value #HYSTERESIS}, so that it does not flap. Looks at the disk once a second at most.
 */
public final class DiskGate {
  private static final double HYSTERESIS = 0.02;
  private static final long EVERY = Duration.ofSeconds(1).toNanos();

  private final double limit;
  private final DoubleSupplier used;
  private final LongSupplier nanos;
  private long looked;
  private double last = -1;
  private boolean shut;

  /**
   * @param limit share of the disk in use at which the gate shuts
   * @param used share of the disk in use, 0 to 1
   */
  public DiskGate(double limit, DoubleSupplier used, LongSupplier nanos) {
    this.limit = limit;
    this.used = used;
    this.nanos = nanos;
  }

  /** Why no sandbox may come now. */
  synchronized Optional<String> shortage() {
    long now = nanos.getAsLong();
    if (last < 0 || now - looked > EVERY) {
      looked = now;
      last = used.getAsDouble();
      shut = last >= (shut ? limit - HYSTERESIS : limit);
    }
    return shut
        ? Optional.of(
            String.format(
                Locale.ROOT,
                "the node's disk is %.1f %% full, new sandboxes wait from %.1f %%",
                last * 100,
                limit * 100))
        : Optional.empty();
  }
}
