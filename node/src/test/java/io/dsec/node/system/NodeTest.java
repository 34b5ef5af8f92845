// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.link.NodeEvents;
import io.dsec.model.Ending;
import io.dsec.model.ExecResult;
import io.dsec.model.SandboxId;
import io.dsec.node.NodeConfig;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIf;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@EnabledIf("io.dsec.node.system.TestNode#available")
class NodeTest {
  private TestNode node;

  @BeforeAll
  void start() throws Exception {
    node = new TestNode(TestNode.freshDirectory(), NodeConfig.OnClose.REMOVE, NodeEvents.NONE);
  }

  @AfterAll
  void stop() {
    node.close();
  }

  @Test
  void runsACommand() {
    SandboxId id = node.create();
    ExecResult result = node.exec(id, "sh", "-c", "echo out; echo err >&2; exit 3");
    assertThat(result.ending()).isEqualTo(new Ending.Exited(3));
    assertThat(result.stdout().lossyText()).isEqualTo("out\n");
    assertThat(result.stderr().lossyText()).isEqualTo("err\n");
    node.remove(id);
  }
}
