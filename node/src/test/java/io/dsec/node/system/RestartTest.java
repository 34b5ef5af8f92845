// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dsec.link.ExecListener;
import io.dsec.link.NodeEvents;
import io.dsec.link.OutputCursor;
import io.dsec.link.SandboxReport;
import io.dsec.model.Bytes;
import io.dsec.model.DsecException;
import io.dsec.model.Ending;
import io.dsec.model.ExecResult;
import io.dsec.model.ProcessInfo;
import io.dsec.model.Reason;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxState;
import io.dsec.node.NodeConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

/** A node is killed with SIGKILL; the next one on the same directory puts everything right. */
@EnabledIf("io.dsec.node.system.TestNode#available")
class RestartTest {
  private Path data = Path.of("/");

  @BeforeEach
  void directory() throws Exception {
    Leftovers.sweep();
    data = TestNode.freshDirectory();
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    String instance = Files.readString(data.resolve("instance")).strip();
    TestNode.on(data).close();
    assertThat(Leftovers.groups(instance)).isEmpty();
    assertThat(Leftovers.mounts(data)).isEmpty();
    Leftovers.delete(data);
  }

  private static void eventually(Duration limit, org.awaitility.core.ThrowingRunnable check) {
    SharedNode.eventually(limit, check);
  }

  private static SandboxReport ended(TestNode node, SandboxId id) {
    eventually(
        Duration.ofSeconds(15),
        () -> assertThat(node.node.report(id).orElseThrow().state()).isEqualTo(SandboxState.GONE));
    return node.node.report(id).orElseThrow();
  }

  @Test
  void f15RunningSandboxesAreTakenOverAndADeadOneFails() throws Exception {
    List<SandboxId> ids = new ArrayList<>();
    try (NodeProcess process = NodeProcess.start(data, "box", "box", "box", "box", "box")) {
      for (int i = 0; i < 5; i++) {
        ids.add(process.next());
      }
      process.kill();
    }
    SandboxId dead = ids.removeLast();
    Inits.kill(data, dead);
    try (TestNode node = TestNode.on(data)) {
      for (SandboxId id : ids) {
        assertThat(node.node.report(id).orElseThrow().state()).isEqualTo(SandboxState.RUNNING);
        assertThat(node.exec(id, "sh", "-c", "echo $FROM_SANDBOX").stdout().lossyText())
            .isEqualTo("yes\n");
      }
      SandboxReport failed = node.node.report(dead).orElseThrow();
      assertThat(failed.state()).isEqualTo(SandboxState.FAILED);
      assertThat(failed.last().reason()).isEqualTo(Reason.INIT_DIED);
      assertThatThrownBy(() -> node.exec(dead, "true")).isInstanceOf(DsecException.class);
      assertThat(node.node.info().epoch()).isEqualTo(2);
    }
  }

  @Test
  void aLayerInMemoryOutlivesTheNodeAndGoesWithItsSandbox() throws Exception {
    SandboxId box;
    SandboxId dead;
    try (NodeProcess process = NodeProcess.start(data, "memory box", "memory box")) {
      box = process.next();
      dead = process.next();
      process.kill();
    }
    Path layers = data.resolve("layers/memory");
    assertThat(Leftovers.mounts(layers)).hasSize(2);
    Inits.kill(data, dead);
    try (TestNode node = TestNode.on(data)) {
      String script = "cat /tmp/kept; head -c 20000000 /dev/zero > /tmp/big";
      ExecResult full = node.exec(box, "sh", "-c", script);
      assertThat(full.stdout().lossyText()).isEqualTo("kept\n");
      assertThat(full.stderr().lossyText()).contains("No space left on device");
      eventually(
          Duration.ofSeconds(15), () -> assertThat(layers.resolve(dead.value())).doesNotExist());
      assertThat(Leftovers.mounts(layers)).hasSize(1);
      node.remove(box);
      eventually(Duration.ofSeconds(15), () -> assertThat(layers).isEmptyDirectory());
      assertThat(Leftovers.mounts(layers)).isEmpty();
    }
  }

  @Test
  void aMainCommandGoesOnAndLosesNoByte() throws Exception {
    String counts = "i=0; while [ $i -lt 40 ]; do seq 1 2000; i=$((i+1)); sleep 0.05; done; exit 5";
    SandboxId long_;
    SandboxId small;
    SandboxId over;
    try (NodeProcess process =
        NodeProcess.start(
            data,
            counts,
            "echo early; cat /workspace/f; sleep 2; echo late",
            "sleep 0.3; exit 9")) {
      long_ = process.next();
      small = process.next();
      over = process.next();
      process.kill();
    }
    try (TestNode node = TestNode.on(data)) {
      ExecResult main = ended(node, long_).main().orElseThrow();
      assertThat(main.ending()).isEqualTo(new Ending.Exited(5));
      StringBuilder once = new StringBuilder();
      for (int i = 1; i <= 2000; i++) {
        once.append(i).append('\n');
      }
      assertThat(main.stdout().lossyText()).isEqualTo(once.toString().repeat(40));
      assertThat(ended(node, small).main().orElseThrow().stdout().lossyText())
          .isEqualTo("early\nFlate\n");
      assertThat(ended(node, over).main().orElseThrow().ending()).isEqualTo(new Ending.Exited(9));
    }
  }

  @Test
  void aBackgroundProcessGoesOnWithItsInputAndItsOutput() throws Exception {
    SandboxId id;
    try (NodeProcess process = NodeProcess.start(data, "background")) {
      id = process.next();
      process.kill();
    }
    try (TestNode node = TestNode.on(data)) {
      ProcessInfo found = node.node.process(id, "e-1");
      assertThat(found.ending()).isEmpty();
      assertThat(found.background()).isTrue();
      SharedNode.eventually(
          Duration.ofSeconds(5),
          () -> assertThat(node.node.process(id, "e-2").ending()).contains(new Ending.Exited(3)));
      try (OutputCursor out =
          node.node.output(id, "e-2", ExecListener.Stream.STDOUT, 108_000, false)) {
        OutputCursor.Piece last = out.next();
        assertThat(last).isNotNull();
        assertThat(last.data().lossyText()).endsWith("19999\n20000\n");
      }
      assertThat(node.node.input(id, "e-1").give(-1, Bytes.utf8("hello\n"), true)).isEqualTo(6);
      StringBuilder all = new StringBuilder();
      try (OutputCursor out = node.node.output(id, "e-1", ExecListener.Stream.STDOUT, 0, true)) {
        for (OutputCursor.Piece p = out.next(); p != null; p = out.next()) {
          assertThat(p.offset()).isEqualTo(all.length());
          all.append(p.data().lossyText());
        }
      }
      assertThat(all.toString()).startsWith("early\n1\n2\n").endsWith("20000\ngot hello\n");
      assertThat(node.node.process(id, "e-1").ending()).contains(new Ending.Exited(4));
    }
  }

  @Test
  void killedAgainAndAgainAMainCommandStillLosesNoByte() throws Exception {
    String counts = "i=0; while [ $i -lt 60 ]; do seq 1 5000; i=$((i+1)); sleep 0.05; done";
    SandboxId id;
    try (NodeProcess process = NodeProcess.start(data, counts)) {
      id = process.next();
      process.kill();
    }
    for (int round = 0; round < 2; round++) {
      try (NodeProcess process = NodeProcess.start(data, "box")) {
        process.next();
        process.kill();
      }
    }
    try (TestNode node = TestNode.on(data)) {
      ExecResult main = ended(node, id).main().orElseThrow();
      StringBuilder once = new StringBuilder();
      for (int i = 1; i <= 5000; i++) {
        once.append(i).append('\n');
      }
      assertThat(main.stdout().lossyText()).isEqualTo(once.toString().repeat(60));
    }
  }

  @Test
  void aTaskWhoseInitDiedMeanwhileIsLost() throws Exception {
    SandboxId id;
    try (NodeProcess process = NodeProcess.start(data, "sleep 60")) {
      id = process.next();
      process.kill();
    }
    Inits.kill(data, id);
    try (TestNode node = TestNode.on(data)) {
      SandboxReport report = node.node.report(id).orElseThrow();
      assertThat(report.main().orElseThrow().ending()).isEqualTo(new Ending.Lost(Reason.INIT_DIED));
      assertThat(report.main().orElseThrow().ending().isFault()).isTrue();
    }
  }

  @Test
  void aTornJournalCostsAtMostItsLastLine() throws Exception {
    SandboxId id;
    try (NodeProcess process = NodeProcess.start(data, "box")) {
      id = process.next();
      process.kill();
    }
    Files.writeString(
        data.resolve("sandboxes/" + id + "/journal.jsonl"),
        "{\"changed\":{\"change\":{\"state\":\"stop",
        StandardOpenOption.APPEND);
    try (NodeProcess process = NodeProcess.start(data, "box")) {
      process.next();
      process.kill();
    }
    try (TestNode node = TestNode.on(data)) {
      assertThat(node.exec(id, "true").ending()).isEqualTo(new Ending.Exited(0));
    }
  }

  @Test
  void f30KilledAtRandomPointsNothingStays() throws Exception {
    Random random = new Random(30);
    for (int round = 0; round < 4; round++) {
      try (NodeProcess process = NodeProcess.start(data, "storm")) {
        int creates = 5 + random.nextInt(25);
        for (int i = 0; i < creates; i++) {
          process.next();
        }
        process.kill();
      }
    }
    try (TestNode node = TestNode.on(data)) {
      for (SandboxReport report : node.node.reports()) {
        if (report.state() == SandboxState.RUNNING) {
          assertThat(node.exec(report.id(), "true").ending()).isEqualTo(new Ending.Exited(0));
        }
        node.remove(report.id());
        node.node.acknowledge(report.id());
      }
      eventually(Duration.ofSeconds(10), () -> assertThat(node.node.reports()).isEmpty());
      try (Stream<Path> left = Files.list(data.resolve("sandboxes"))) {
        assertThat(left).isEmpty();
      }
    }
  }

  @Test
  void closingAsConfiguredKeepsSandboxes() {
    SandboxId id;
    try (TestNode node = new TestNode(data, NodeConfig.OnClose.KEEP, NodeEvents.NONE)) {
      id = node.create();
    }
    try (TestNode node = TestNode.on(data)) {
      assertThat(node.exec(id, "echo", "still here").stdout().lossyText())
          .isEqualTo("still here\n");
    }
  }
}
