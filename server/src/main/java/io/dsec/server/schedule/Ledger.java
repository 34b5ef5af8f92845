// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.schedule;

import io.dsec.model.Guarantee;
import io.dsec.model.SandboxId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What was promised on each node: by sandbox, from the choice of the node until it is gone. */
public final class Ledger {
  private final NodeDirectory nodes;
  private final Map<String, Promised> promised = new HashMap<>();
  private volatile Runnable freed = () -> {};

  public Ledger(NodeDirectory nodes) {
    this.nodes = nodes;
  }

  /** Called after each release. */
  public void whenFreed(Runnable listener) {
    freed = listener;
  }

  public synchronized void promise(String node, SandboxId id, Guarantee demand) {
    promised.computeIfAbsent(node, _ -> new Promised()).add(id, demand);
  }

  /** All of them or none: false when the node is away or has no room. */
  public synchronized boolean promiseAll(String node, Map<SandboxId, Guarantee> demands) {
    double cpu = 0;
    long memory = 0;
    for (Guarantee each : demands.values()) {
      cpu += each.cpu();
      memory += each.memory();
    }
    double cores = cpu;
    long bytes = memory;
    boolean room =
        view().stream()
            .anyMatch(n -> n.node().equals(node) && n.alive() && n.hasRoom(cores, bytes));
    if (room) {
      demands.forEach((id, demand) -> promise(node, id, demand));
    }
    return room;
  }

  public void release(SandboxId id) {
    forget(id);
    freed.run();
  }

  /** Takes a promise back that the node refused: nothing was freed by that. */
  synchronized void forget(SandboxId id) {
    promised.values().forEach(p -> p.remove(id));
  }

  public synchronized List<NodeView> view() {
    return nodes.members().stream().map(this::view).toList();
  }

  private NodeView view(Member member) {
    Guarantee capacity = member.info().capacity();
    Promised taken = promised.getOrDefault(member.name(), new Promised());
    return new NodeView(
        member.name(),
        nodes.alive(member.name()),
        Set.copyOf(member.info().tiers()),
        capacity,
        capacity.cpu() - taken.cpu,
        capacity.memory() - taken.memory);
  }

  private static final class Promised {
    private final Map<SandboxId, Guarantee> byId = new HashMap<>();
    private double cpu;
    private long memory;

    void add(SandboxId id, Guarantee demand) {
      if (byId.putIfAbsent(id, demand) == null) {
        cpu += demand.cpu();
        memory += demand.memory();
      }
    }

    void remove(SandboxId id) {
      Guarantee demand = byId.remove(id);
      if (demand != null) {
        cpu = byId.isEmpty() ? 0 : cpu - demand.cpu();
        memory -= demand.memory();
      }
    }
  }
}
