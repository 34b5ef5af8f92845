// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.schedule;

import io.dsec.model.Guarantee;
import io.dsec.model.Tier;
import java.util.Set;

/**
 * A node as placement sees it.
 *
 * @param freeCpu cores that nothing was promised; below 0 when the node took more than it should
 * @param freeMemory bytes, likewise
 */
public record NodeView(
    String node,
    boolean alive,
    Set<Tier> tiers,
    Guarantee capacity,
    double freeCpu,
    long freeMemory) {
  /** Sums of decimal cores may be off by rounding. */
  private static final double ROUNDING = 1e-6;

  public NodeView {
    tiers = Set.copyOf(tiers);
  }

  boolean hasRoom(Guarantee demand) {
    return hasRoom(demand.cpu(), demand.memory());
  }

  boolean hasRoom(double cores, long bytes) {
    return cores <= freeCpu + ROUNDING && bytes <= freeMemory;
  }

  boolean couldEverFit(Guarantee demand) {
    return demand.cpu() <= capacity.cpu() + ROUNDING && demand.memory() <= capacity.memory();
  }
}
