// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.schedule;

import io.dsec.model.Guarantee;
import io.dsec.model.Tier;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Of the nodes that are alive, offer the tier and have room, the one with most free memory. */
public final class MostRoom implements Placer {
  @Override
  public Choice choose(Guarantee demand, Tier tier, List<NodeView> nodes) {
    List<NodeView> fit = nodes.stream().filter(n -> n.alive() && n.tiers().contains(tier)).toList();
    if (fit.isEmpty()) {
      return new Choice.Nowhere(
          "none of %d nodes is alive and offers %s"
              .formatted(nodes.size(), tier.name().toLowerCase(Locale.ROOT)));
    }
    Optional<NodeView> best =
        fit.stream()
            .filter(n -> n.hasRoom(demand))
            .max(Comparator.comparingLong(NodeView::freeMemory));
    if (best.isPresent()) {
      return new Choice.On(best.get().node());
    }
    NodeView roomiest =
        fit.stream().max(Comparator.comparingLong(NodeView::freeMemory)).orElseThrow();
    return new Choice.Nowhere(
        String.format(
            Locale.ROOT,
            "needs %.2f CPU and %d MiB of memory; the roomiest node %s has %.2f CPU and %d MiB free",
            demand.cpu(),
            demand.memory() >> 20,
            roomiest.node(),
            Math.max(0, roomiest.freeCpu()),
            Math.max(0, roomiest.freeMemory() >> 20)));
  }
}
