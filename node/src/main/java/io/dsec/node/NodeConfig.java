// SPDX-License-Identifier: Apache-2.0
package io.dsec.node;

import io.dsec.model.DsecException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Settings of one node.
 *
 * @param dataDir everything the node keeps; one node per directory
 * @param guest the guest binary
 * @param reservedMemory bytes of the host that placement does not count on
 * @param reservedCpu cores of the host that placement does not count on
 * @param cpuOvercommit what placement may count on per core that is left
 * @param maxSandboxes live at a time
 * @param diskLimit share of the disk in use from which no new sandbox is taken
 * @param onClose what {@link Node#close} does with sandboxes
 * @param heartbeat time between signs of life
 * @param reconcile time between comparisons of records and kernel
 */
public record NodeConfig(
    Path dataDir,
    Path guest,
    long reservedMemory,
    double reservedCpu,
    double cpuOvercommit,
    int maxSandboxes,
    double diskLimit,
    OnClose onClose,
    Duration heartbeat,
    Duration reconcile) {
  /** A Unix socket's path has at most 107 bytes, 41 of them below the data directory. */
  private static final int MAX_PATH = 64;

  /** What happens to sandboxes when the node's process ends as it should. */
  public enum OnClose {
    REMOVE,
    KEEP
  }

  public NodeConfig {
    dataDir = dataDir.toAbsolutePath().normalize();
    List<String> problems = new ArrayList<>();
    if (dataDir.toString().length() > MAX_PATH) {
      problems.add(
          "data directory %s is longer than %d characters, too long for sockets below it"
              .formatted(dataDir, MAX_PATH));
    }
    if (!Files.isExecutable(guest)) {
      problems.add("guest binary %s is not there or not executable".formatted(guest));
    }
    check(problems, reservedMemory >= 0, "reserved_memory is negative");
    check(problems, reservedCpu >= 0, "reserved_cpu is negative");
    check(problems, cpuOvercommit >= 1 && cpuOvercommit <= 16, "cpu_overcommit is not 1 to 16");
    check(problems, maxSandboxes > 0, "max_sandboxes is not positive");
    check(problems, diskLimit > 0 && diskLimit <= 1, "disk_limit is not above 0 and at most 1");
    check(problems, heartbeat.isPositive(), "heartbeat is not positive");
    check(problems, reconcile.isPositive(), "reconcile is not positive");
    if (!problems.isEmpty()) {
      throw DsecException.invalid("node", String.join("; ", problems));
    }
  }

  private static void check(List<String> problems, boolean good, String problem) {
    if (!good) {
      problems.add(problem);
    }
  }

  public static NodeConfig of(Path dataDir, Path guest) {
    return new NodeConfig(
        dataDir,
        guest,
        1L << 30,
        0,
        1.2,
        4000,
        0.92,
        OnClose.REMOVE,
        Duration.ofSeconds(3),
        Duration.ofSeconds(30));
  }

  public NodeConfig withOnClose(OnClose choice) {
    return with(draft -> draft.onClose = choice);
  }

  public NodeConfig withMaxSandboxes(int count) {
    return with(draft -> draft.maxSandboxes = count);
  }

  public NodeConfig withCpuOvercommit(double factor) {
    return with(draft -> draft.cpuOvercommit = factor);
  }

  private NodeConfig with(Consumer<Draft> change) {
    Draft draft = new Draft();
    change.accept(draft);
    return draft.finish();
  }

  /** A copy in which some settings may be changed. */
  private final class Draft {
    double cpuOvercommit = NodeConfig.this.cpuOvercommit;
    int maxSandboxes = NodeConfig.this.maxSandboxes;
    OnClose onClose = NodeConfig.this.onClose;

    NodeConfig finish() {
      return new NodeConfig(
          dataDir,
          guest,
          reservedMemory,
          reservedCpu,
          cpuOvercommit,
          maxSandboxes,
          diskLimit,
          onClose,
          heartbeat,
          reconcile);
    }
  }
}
