// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.sandbox;

import io.dsec.model.Reason;
import io.dsec.server.queue.WaitingLine;
import io.dsec.server.schedule.Member;
import io.dsec.server.schedule.NodeDirectory;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends sandboxes, wherever in their life they are. */
public final class Removals {
  private static final Logger LOG = LoggerFactory.getLogger(Removals.class);

  /** How long a caller waits for a removal beyond the grace; the reaper goes on with it. */
  private static final Duration LIMIT = Duration.ofSeconds(15);

  private final WaitingLine<Sandbox> line;
  private final NodeDirectory nodes;
  private final Endings endings;

  public Removals(WaitingLine<Sandbox> line, NodeDirectory nodes, Endings endings) {
    this.line = line;
    this.nodes = nodes;
    this.endings = endings;
  }

  /** True once it is gone; false when the node still works on it. */
  public boolean remove(Sandbox sandbox, Duration grace, Reason reason)
      throws InterruptedException {
    begin(sandbox, grace, reason);
    return sandbox.await(s -> s.ended() && s.stored(), grace.plus(LIMIT));
  }

  /** Orders the removal and returns at once. */
  public void begin(Sandbox sandbox, Duration grace, Reason reason) {
    sandbox.removeRequested(reason);
    if (line.remove(sandbox)) {
      Thread _ =
          Thread.ofVirtual().start(() -> endings.gone(sandbox, reason, "removed while it waited"));
      return;
    }
    Optional<Member> node = node(sandbox);
    if (node.isPresent() && !sandbox.placing() && !sandbox.ended()) {
      Thread _ =
          Thread.ofVirtual()
              .name("remove-" + sandbox.id())
              .start(() -> removeFrom(node.get(), sandbox, grace, reason));
    }
  }

  private void removeFrom(Member node, Sandbox sandbox, Duration grace, Reason reason) {
    try {
      boolean _ = node.commands().remove(sandbox.id(), grace, reason);
      node.commands().report(sandbox.id()).ifPresent(sandbox::merge);
      endings.gone(sandbox, reason, "");
    } catch (RuntimeException e) {
      LOG.warn(
          "node {} did not remove {}; the reaper will ask again", node.name(), sandbox.id(), e);
    }
  }

  private Optional<Member> node(Sandbox sandbox) {
    String name = sandbox.record().node();
    return name == null ? Optional.empty() : nodes.member(name);
  }
}
