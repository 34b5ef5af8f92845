// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.link.Heartbeat;
import io.dsec.link.NodeEvents;
import io.dsec.link.SandboxReport;
import io.dsec.model.SandboxId;
import io.dsec.node.NodeConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIf;

/** One node for all scenarios of a class, which must leave nothing behind. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@EnabledIf("io.dsec.node.system.TestNode#available")
abstract class SharedNode implements NodeEvents {
  static final Duration SECOND = Duration.ofSeconds(1);

  final Map<SandboxId, SandboxReport> told = new ConcurrentHashMap<>();
  final List<Heartbeat> beats = new CopyOnWriteArrayList<>();
  private Path data = Path.of("/");
  private @Nullable TestNode running;

  @BeforeAll
  void startNode() throws Exception {
    Leftovers.sweep();
    data = TestNode.freshDirectory();
    running = new TestNode(data, NodeConfig.OnClose.REMOVE, this);
  }

  @AfterAll
  void nothingIsLeft() throws Exception {
    String instance = Files.readString(data.resolve("instance")).strip();
    node().close();
    assertThat(Leftovers.groups(instance)).isEmpty();
    assertThat(Leftovers.mounts(data)).isEmpty();
    Leftovers.delete(data);
  }

  TestNode node() {
    return Objects.requireNonNull(running);
  }

  @Override
  public void changed(SandboxReport report) {
    told.put(report.id(), report);
  }

  @Override
  public void beat(Heartbeat heartbeat) {
    beats.add(heartbeat);
  }

  static void eventually(Duration limit, org.awaitility.core.ThrowingRunnable check) {
    Awaitility.await().atMost(limit).pollInterval(Duration.ofMillis(20)).untilAsserted(check);
  }
}
