// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Json;
import io.dsec.link.NodeInfo;
import io.dsec.model.Guarantee;
import io.dsec.model.Tier;
import io.dsec.server.sandbox.Catalog;
import io.dsec.server.sandbox.Sandbox;
import io.dsec.server.schedule.Ledger;
import io.dsec.server.schedule.NodeDirectory;
import io.dsec.server.schedule.NodeView;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code GET /nodes}: for administrators. */
final class NodeRoutes {
  private final NodeDirectory nodes;
  private final Ledger ledger;
  private final Catalog catalog;

  NodeRoutes(NodeDirectory nodes, Ledger ledger, Catalog catalog) {
    this.nodes = nodes;
    this.ledger = ledger;
    this.catalog = catalog;
  }

  /** Room as placement sees it; less than nothing when a node took more than it should. */
  record Room(double cpu, long memory) {}

  /**
   * @param live sandboxes that are on it
   * @param sandboxes the same, by state
   */
  record NodeReply(
      String name,
      String state,
      List<Tier> tiers,
      Map<Tier, String> unavailable,
      Guarantee capacity,
      Room promised,
      Room free,
      long live,
      Map<String, Long> sandboxes,
      String diskBackend) {}

  void list(Exchange exchange) {
    Map<String, Map<String, Long>> states =
        catalog.live().stream()
            .map(Sandbox::record)
            .filter(r -> r.node() != null)
            .collect(
                Collectors.groupingBy(
                    r -> String.valueOf(r.node()),
                    Collectors.groupingBy(
                        r -> Json.lower(r.state()), TreeMap::new, Collectors.counting())));
    Map<String, @Nullable Object> reply = new LinkedHashMap<>();
    reply.put(
        "nodes",
        ledger.view().stream().map(n -> node(n, states.getOrDefault(n.node(), Map.of()))).toList());
    reply.put("next_cursor", null);
    exchange.reply(200, reply);
  }

  private NodeReply node(NodeView node, Map<String, Long> states) {
    NodeInfo info = nodes.member(node.node()).orElseThrow().info();
    Guarantee capacity = node.capacity();
    return new NodeReply(
        node.node(),
        node.alive() ? "ready" : "away",
        info.tiers(),
        info.unavailable(),
        capacity,
        new Room(capacity.cpu() - node.freeCpu(), capacity.memory() - node.freeMemory()),
        new Room(node.freeCpu(), node.freeMemory()),
        states.values().stream().mapToLong(Long::longValue).sum(),
        states,
        info.diskBackend());
  }
}
