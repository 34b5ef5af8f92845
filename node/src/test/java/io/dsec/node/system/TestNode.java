// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.system;

import io.dsec.link.ExecListener;
import io.dsec.link.NodeEvents;
import io.dsec.link.Placement;
import io.dsec.model.ExecResult;
import io.dsec.model.ExecSpec;
import io.dsec.model.FileSpec;
import io.dsec.model.Guarantee;
import io.dsec.model.Isolation;
import io.dsec.model.MainCommand;
import io.dsec.model.Priority;
import io.dsec.model.Reason;
import io.dsec.model.RecordMode;
import io.dsec.model.Resources;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxSpec;
import io.dsec.model.Tier;
import io.dsec.node.LinuxHost;
import io.dsec.node.Node;
import io.dsec.node.NodeConfig;
import io.dsec.node.disk.DiskConfig;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A real node in a directory of its own, and short ways to use it. */
final class TestNode implements AutoCloseable {
  static final Resources SMALL =
      new Resources(1, 128L << 20, 64L << 20, 128, 0, Resources.DiskMedium.DISK, 0);

  static final Resources IN_MEMORY =
      new Resources(1, 128L << 20, 16L << 20, 128, 0, Resources.DiskMedium.MEMORY, 0);

  final Path data;
  final PrometheusRegistry registry = new PrometheusRegistry();
  final Node node;

  static TestNode on(Path data) {
    return new TestNode(data, NodeConfig.OnClose.REMOVE, NodeEvents.NONE);
  }

  TestNode(Path data, NodeConfig.OnClose onClose, NodeEvents events) {
    this.data = data;
    Clock clock = Clock.systemUTC();
    DiskConfig disk = DiskConfig.of(data.resolve("layers")).withPoolBytes(4L << 30);
    node =
        new Node(
            NodeConfig.of(data, guest()).withOnClose(onClose).withCpuOvercommit(16),
            new LinuxHost(data, disk, clock, registry),
            events,
            clock,
            registry);
    node.start();
  }

  static Path guest() {
    return Path.of(
        System.getProperty("dsec.root"),
        "guest/target/x86_64-unknown-linux-gnu/release/dsec-guest");
  }

  static boolean available() {
    return Files.isExecutable(guest()) && "root".equals(System.getProperty("user.name"));
  }

  /** Short, since sockets lie below it. */
  static Path freshDirectory() throws IOException {
    return Leftovers.make();
  }

  SandboxId create() {
    return create(SMALL, Optional.empty());
  }

  SandboxId create(Resources resources) {
    return create(resources, Optional.empty());
  }

  SandboxId task(ExecSpec spec, FileSpec... files) {
    return create(SMALL, Optional.of(new MainCommand(spec, List.of(files))));
  }

  SandboxId create(Resources resources, Optional<MainCommand> main) {
    SandboxId id = SandboxId.random(new SecureRandom());
    node.place(placement(id, resources, main, Duration.ofMinutes(10)));
    return id;
  }

  static Placement placement(
      SandboxId id, Resources resources, Optional<MainCommand> main, Duration ttl) {
    SandboxSpec spec =
        new SandboxSpec(
            "host",
            Isolation.CONTAINER,
            resources,
            new Guarantee(0.1, 16L << 20),
            Map.of("FROM_SANDBOX", "yes"),
            Map.of(),
            Optional.empty(),
            Optional.empty(),
            ttl,
            Priority.ONLINE,
            Map.of("test", "node"),
            Optional.empty(),
            RecordMode.ON,
            main);
    return new Placement(
        id, 1, "tenant", spec, Tier.CONTAINER, 1, Clock.systemUTC().instant().plus(ttl));
  }

  static Placement withImage(Placement p, String image) {
    return with(p, image, p.spec().guaranteed());
  }

  static Placement withGuarantee(Placement p, Guarantee guaranteed) {
    return with(p, p.spec().image(), guaranteed);
  }

  private static Placement with(Placement p, String image, Guarantee guaranteed) {
    SandboxSpec s = p.spec();
    Resources r = s.resources();
    Resources enough =
        new Resources(
            r.cpu(),
            Math.max(r.memory(), guaranteed.memory()),
            r.disk(),
            r.pids(),
            r.gpu(),
            r.diskMedium(),
            r.shm());
    SandboxSpec changed =
        new SandboxSpec(
            image,
            s.isolation(),
            enough,
            guaranteed,
            s.env(),
            s.secrets(),
            s.user(),
            s.workdir(),
            s.ttl(),
            s.priority(),
            s.labels(),
            s.hostname(),
            s.record(),
            s.main());
    return new Placement(p.id(), p.epoch(), p.tenant(), changed, p.tier(), 1, p.expiresAt());
  }

  ExecResult exec(SandboxId id, String... argv) {
    return exec(id, ExecSpec.of(List.of(argv)));
  }

  ExecResult exec(SandboxId id, ExecSpec spec) {
    return node.exec(id, spec, ExecListener.NONE);
  }

  ExecResult sh(SandboxId id, String script, Duration timeout) {
    return exec(id, ExecSpec.of(List.of("sh", "-c", script)).withTimeout(timeout));
  }

  void remove(SandboxId id) {
    node.remove(id, Duration.ZERO, Reason.REQUESTED);
  }

  @Override
  public void close() {
    node.close();
  }
}
