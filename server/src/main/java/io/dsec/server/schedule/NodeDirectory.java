// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.schedule;

import io.dsec.link.Heartbeat;
import io.dsec.link.NodeCommands;
import io.dsec.link.NodeEvents;
import io.dsec.link.SandboxReport;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The nodes of this server. It is made before both: nodes get its {@link #events()}, the server
 * listens with {@link #listen}. What a node says before the server listens is not kept, since the
 * server asks for all reports at its start.
 */
public final class NodeDirectory {
  /** A node that was silent for so long counts as away. */
  public static final Duration LEASE = Duration.ofSeconds(15);

  private final Clock clock;
  private final List<Member> members = new CopyOnWriteArrayList<>();
  private final Map<String, Instant> beats = new ConcurrentHashMap<>();
  private volatile NodeEvents listener = NodeEvents.NONE;

  public NodeDirectory(Clock clock) {
    this.clock = clock;
  }

  public NodeEvents events() {
    return new Relay();
  }

  public void join(NodeCommands commands) {
    Member member = new Member(commands, commands.info());
    beats.put(member.name(), clock.instant());
    members.removeIf(m -> m.name().equals(member.name()));
    members.add(member);
  }

  public List<Member> members() {
    return List.copyOf(members);
  }

  public Optional<Member> member(String name) {
    return members.stream().filter(m -> m.name().equals(name)).findFirst();
  }

  public boolean alive(String node) {
    Instant beat = beats.get(node);
    return beat != null && beat.plus(LEASE).isAfter(clock.instant());
  }

  public void listen(NodeEvents server) {
    listener = server;
  }

  private final class Relay implements NodeEvents {
    @Override
    public void changed(SandboxReport report) {
      listener.changed(report);
    }

    @Override
    public void beat(Heartbeat heartbeat) {
      beats.put(heartbeat.node(), clock.instant());
      listener.beat(heartbeat);
    }
  }
}
