// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.sandbox;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.server.schedule.Member;
import io.dsec.server.schedule.NodeDirectory;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/** Moves the absolute end of running sandboxes. */
public final class Renewal {
  private final SandboxTable table;
  private final NodeDirectory nodes;
  private final Clock clock;

  public Renewal(SandboxTable table, NodeDirectory nodes, Clock clock) {
    this.table = table;
    this.nodes = nodes;
    this.clock = clock;
  }

  public void renew(Sandbox sandbox, Duration ttl) {
    String name = sandbox.record().node();
    Member node =
        (name == null ? java.util.Optional.<Member>empty() : nodes.member(name))
            .orElseThrow(
                () ->
                    DsecException.of(
                        ErrorCode.CONFLICT,
                        "sandbox %s waits for a node; its ttl begins when it is placed"
                            .formatted(sandbox.id())));
    Instant end = clock.instant().plus(ttl);
    node.commands().renew(sandbox.id(), end);
    sandbox.expiresAt(end);
    sandbox.touch(clock.instant());
    table.placed(sandbox.record());
  }
}
