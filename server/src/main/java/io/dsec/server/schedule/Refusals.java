// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.schedule;

import io.dsec.model.Guarantee;
import io.dsec.model.Tier;
import java.util.ArrayList;
import java.util.List;

/**
 * Demands that did not fit since capacity was last freed. Whatever asks for as much or more need
 * not be tried; smaller work may pass.
 */
final class Refusals {
  private final List<Refusal> smallest = new ArrayList<>();

  synchronized void add(Tier tier, Guarantee demand) {
    smallest.removeIf(r -> r.tier == tier && covers(demand, r.demand));
    smallest.add(new Refusal(tier, demand));
  }

  synchronized boolean cover(Tier tier, Guarantee demand) {
    return smallest.stream().anyMatch(r -> r.tier == tier && covers(r.demand, demand));
  }

  synchronized void clear() {
    smallest.clear();
  }

  private static boolean covers(Guarantee refused, Guarantee demand) {
    return demand.cpu() >= refused.cpu() && demand.memory() >= refused.memory();
  }

  private record Refusal(Tier tier, Guarantee demand) {}
}
