// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.node.LinuxHost;
import io.dsec.node.Node;
import io.dsec.node.NodeConfig;
import io.dsec.server.Server;
import io.dsec.server.ServerConfig;
import io.dsec.server.schedule.NodeDirectory;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;

/** Server and node in this process: this page is how {@code dsec up} is wired. */
final class Embedded implements AutoCloseable {
  private final Node node;
  private final Server server;
  private final URI url;
  private final String key;
  private final Runnable afterwards;
  private boolean closed;

  private Embedded(Path data, String host, int port, UpSettings settings, Runnable afterwards) {
    this.afterwards = afterwards;
    Clock clock = Clock.systemUTC();
    PrometheusRegistry registry = new PrometheusRegistry();
    NodeDirectory nodes = new NodeDirectory(clock);
    node =
        new Node(
            NodeConfig.of(data.resolve("node"), guest())
                .withCpuOvercommit(settings.node().cpuOvercommit())
                .withMaxSandboxes(settings.node().maxSandboxes()),
            new LinuxHost(data.resolve("node"), clock, registry),
            nodes.events(),
            clock,
            registry);
    try {
      node.start();
      nodes.join(node);
      server = Server.start(config(data, settings).listening(host, port), nodes, registry, clock);
    } catch (RuntimeException e) {
      node.close();
      throw e;
    }
    url = URI.create("http://" + reachable(host) + ":" + server.port());
    key = key(data);
  }

  private static ServerConfig config(Path data, UpSettings settings) {
    return ServerConfig.defaults(data)
        .with(settings.admission())
        .with(settings.batches())
        .with(settings.reap());
  }

  static Embedded start(Path data, String host, int port) {
    return start(data, host, port, UpSettings.DEFAULT);
  }

  static Embedded start(Path data, String host, int port, UpSettings settings) {
    ThisHost.check();
    LogSetup.quietHelidon();
    try {
      return new Embedded(data, host, port, settings, () -> {});
    } catch (RuntimeException e) {
      throw ThisHost.explained(e, data.resolve("node"));
    }
  }

  /**
   * For the length of one command, on a free port of loopback. Where another node holds the
   * standard directory, one for this command alone is made and removed.
   */
  static Embedded temporary(Map<String, String> environment) {
    try {
      return start(DataDirectory.standard(environment), "127.0.0.1", 0);
    } catch (DsecException e) {
      if (e.code() != ErrorCode.CONFLICT) {
        throw e;
      }
      Path own = DataDirectory.temporary();
      return new Embedded(own, "127.0.0.1", 0, UpSettings.DEFAULT, () -> DataDirectory.remove(own));
    }
  }

  URI url() {
    return url;
  }

  String key() {
    return key;
  }

  /** Lets running calls end within a bound, then removes every sandbox. Safe to repeat. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      server.close();
    } finally {
      node.close();
      afterwards.run();
    }
  }

  /** A wildcard address is reached over loopback. */
  private static String reachable(String host) {
    return switch (host) {
      case "0.0.0.0", "::", "[::]" -> "127.0.0.1";
      default -> host.contains(":") && !host.startsWith("[") ? "[" + host + "]" : host;
    };
  }

  private static Path guest() {
    String home = System.getProperty("dsec.home");
    if (home == null) {
      throw DsecException.of(
          ErrorCode.NOT_SUPPORTED, "the distribution is unknown: run ./dsec, or set -Ddsec.home");
    }
    return Path.of(home, "bin", "dsec-guest");
  }

  private static String key(Path data) {
    try {
      return Files.readString(data.resolve("admin-key")).strip();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read the admin key in " + data, e);
    }
  }
}
