// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.system;

import io.dsec.link.NodeEvents;
import io.dsec.model.Bytes;
import io.dsec.model.ExecSpec;
import io.dsec.model.FileSpec;
import io.dsec.model.SandboxId;
import io.dsec.node.NodeConfig;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * A node in a JVM of its own, so that it can be killed. It makes what its arguments say, tells the
 * ids, and waits.
 */
final class NodeProcess implements AutoCloseable {
  private final Process process;
  private final BufferedReader lines;

  private NodeProcess(Process process) {
    this.process = process;
    this.lines = process.inputReader(StandardCharsets.UTF_8);
  }

  static NodeProcess start(Path data, String... what) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-Ddsec.root=" + System.getProperty("dsec.root"));
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(NodeProcess.class.getName());
    command.add(data.toString());
    command.addAll(List.of(what));
    return new NodeProcess(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** Next id that it tells. */
  SandboxId next() throws IOException {
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.startsWith("made ")) {
        return new SandboxId(line.substring("made ".length()));
      }
    }
    throw new IllegalStateException("the node ended");
  }

  /** Like {@code kill -9}. */
  void kill() throws InterruptedException {
    process.destroyForcibly();
    if (!process.waitFor(10, TimeUnit.SECONDS)) {
      throw new IllegalStateException("it outlives SIGKILL");
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  private static ExecSpec open(ExecSpec s) {
    return s.draft().stdinOpen(true).done();
  }

  public static void main(String[] args) throws Exception {
    TestNode node = new TestNode(Path.of(args[0]), NodeConfig.OnClose.KEEP, NodeEvents.NONE);
    for (String what : List.of(args).subList(1, args.length)) {
      switch (what) {
        case "box" -> told(node.create());
        case "memory box" -> {
          SandboxId id = node.create(TestNode.IN_MEMORY);
          node.exec(id, "sh", "-c", "echo kept > /tmp/kept");
          told(id);
        }
        case "storm" -> storm(node);
        case "background" -> {
          SandboxId id = node.create();
          ExecSpec spec =
              shell("echo early; read line; seq 1 20000; echo got $line; sleep 1; exit 4");
          var _ = node.node.start(id, open(spec));
          var _ = node.node.start(id, shell("seq 1 20000; exit 3"));
          SharedNode.eventually(
              Duration.ofSeconds(10),
              () -> {
                if (node.node.process(id, "e-2").ending().isEmpty()) {
                  throw new AssertionError("still runs");
                }
              });
          told(id);
        }
        default -> told(node.task(shell(what), new FileSpec("/workspace/f", Bytes.utf8("F"), 0)));
      }
    }
    Thread.currentThread().join();
  }

  private static ExecSpec shell(String script) {
    return ExecSpec.of(List.of("sh", "-c", script));
  }

  private static void told(SandboxId id) {
    System.out.println("made " + id);
  }

  /** Creates and removes without end, on four threads. */
  private static void storm(TestNode node) {
    for (int t = 0; t < 4; t++) {
      Random random = new Random(t);
      Thread.ofVirtual()
          .start(
              () -> {
                for (; ; ) {
                  SandboxId id = node.create();
                  told(id);
                  if (random.nextBoolean()) {
                    node.exec(id, "sh", "-c", "head -c 1000000 /dev/zero > /tmp/x");
                  }
                  if (random.nextInt(4) > 0) {
                    node.remove(id);
                    node.node.acknowledge(id);
                  }
                }
              });
    }
  }
}
