// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.cgroup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.dsec.model.Resources;
import io.dsec.model.Resources.DiskMedium;
import io.dsec.model.SandboxId;
import io.dsec.node.host.Mounts;
import io.dsec.node.host.SyscallException;
import io.dsec.node.host.Syscalls;
import io.dsec.node.host.TestHost;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Control groups of the real kernel, whichever kind this host has. */
class CgroupsOnThisHostTest {
  private static final Resources LIMITS =
      new Resources(0.5, 64L << 20, 1L << 30, 16, 0, DiskMedium.DISK, 0);

  private final Random random = new Random(7);
  private final SandboxId id = SandboxId.random(random);
  private final List<Process> processes = new ArrayList<>();
  private Cgroups cgroups;

  Cgroups choose(CgroupConfig config) {
    return CgroupProbe.choose(config);
  }

  @BeforeEach
  void prepare() {
    TestHost.assumeRoot();
    cgroups = choose(CgroupConfig.of(TestHost.name("groups")));
    cgroups.prepare();
    cgroups.prepare();
  }

  @AfterEach
  void dispose() {
    processes.forEach(Process::destroyForcibly);
    if (cgroups != null) {
      for (SandboxId left : cgroups.present()) {
        cgroups.kill(left);
        await().atMost(Duration.ofSeconds(5)).until(() -> cgroups.empty(left));
        cgroups.remove(left);
      }
      cgroups.dispose();
    }
  }

  @Test
  void limitsAreInTheKernel() throws Exception {
    SandboxGroups groups = cgroups.create(id, LIMITS);
    cgroups.create(id, LIMITS);
    assertThat(cgroups.present()).containsExactly(id);
    assertThat(groups.v2().resolve("init")).isDirectory();
    assertThat(groups.v2().resolve("work")).isDirectory();
    Path memory = groups.memory().orElse(groups.v2().resolve("work"));
    String limit = groups.memory().isPresent() ? "memory.limit_in_bytes" : "memory.max";
    assertThat(memory.resolve(limit)).content().isEqualToIgnoringNewLines("67108864");
    assertThat(groups.join()).allMatch(Files::isWritable);
  }

  /** What create does not write must be what the kernel gives. */
  @Test
  void aFreshV1GroupHasEveryValue() throws Exception {
    SandboxGroups groups =
        cgroups.create(id, new Resources(1, 64L << 20, 1L << 30, 16, 0, DiskMedium.DISK, 0));
    assumeThat(groups.memory()).as("v1").isPresent();
    Path memory = groups.memory().orElseThrow();
    Path cpu = V1Hierarchies.of("cpu", Mounts.all()).orElseThrow();
    cpu = cpu.resolve(memory.subpath(memory.getNameCount() - 3, memory.getNameCount()));
    assertThat(cpu.resolve("cpu.cfs_period_us")).content().isEqualTo("100000\n");
    assertThat(cpu.resolve("cpu.cfs_quota_us")).content().isEqualTo("100000\n");
    assertThat(cpu.resolve("cpu.shares")).content().isEqualTo("1024\n");
    assertThat(memory.resolve("memory.swappiness")).content().isEqualTo("0\n");
    Path withSwap = memory.resolve("memory.memsw.limit_in_bytes");
    assertThat(!Files.exists(withSwap) || Files.readString(withSwap).equals("67108864\n")).isTrue();
  }

  @Test
  void aLimitCanGrowAndShrink() {
    SandboxGroups groups = cgroups.create(id, LIMITS);
    for (long mib : List.of(256, 32)) {
      cgroups.create(id, new Resources(1, mib << 20, 1L << 30, 16, 0, DiskMedium.DISK, 0));
      Path memory = groups.memory().orElse(groups.v2().resolve("work"));
      String limit = groups.memory().isPresent() ? "memory.limit_in_bytes" : "memory.max";
      assertThat(memory.resolve(limit)).content().isEqualToIgnoringNewLines("" + (mib << 20));
    }
  }

  @Test
  void killEndsEveryProcessAndOnlyThoseOfTheSandbox() throws Exception {
    SandboxGroups groups = cgroups.create(id, LIMITS);
    SandboxGroups other = cgroups.create(SandboxId.random(random), LIMITS);
    Process victim = running(groups, 1, "sleep 1000 & sleep 1000");
    Process neighbour = running(other, 1, "sleep 1000");
    assertThat(cgroups.empty(id)).isFalse();
    cgroups.kill(id);
    await().atMost(Duration.ofSeconds(5)).until(() -> !victim.isAlive() && cgroups.empty(id));
    assertThat(neighbour.isAlive()).isTrue();
    cgroups.remove(id);
    cgroups.remove(id);
    assertThat(cgroups.present()).doesNotContain(id);
    assertThat(cgroups.empty(id)).isTrue();
  }

  @Test
  void killExecLeavesTheOtherExec() throws Exception {
    SandboxGroups groups = cgroups.create(id, LIMITS);
    Process first = running(groups, 1, "sleep 1000");
    Process second = running(groups, 2, "sleep 1000");
    cgroups.killExec(id, 1);
    cgroups.killExec(id, 99);
    await().atMost(Duration.ofSeconds(5)).until(() -> !first.isAlive());
    assertThat(second.isAlive()).isTrue();
  }

  @Test
  void aGroupInUseIsNotRemoved() throws Exception {
    running(cgroups.create(id, LIMITS), 1, "sleep 1000");
    assertThatThrownBy(() -> cgroups.remove(id))
        .isInstanceOf(SyscallException.class)
        .hasMessageContaining("rmdir")
        .hasMessageContaining("EBUSY");
    assertThat(cgroups.present()).contains(id);
  }

  @Test
  void aForkBombMeetsThePidsLimit() throws Exception {
    SandboxGroups groups = cgroups.create(id, LIMITS);
    running(groups, 1, "for i in $(seq 40); do sleep 1000 & done; wait");
    await().atMost(Duration.ofSeconds(5)).until(() -> cgroups.pidsRefused(id) > 0);
    assertThat(cgroups.usage(id).pids()).isLessThanOrEqualTo(16);
  }

  @Test
  void useIsCounted() throws Exception {
    SandboxGroups groups = cgroups.create(id, LIMITS);
    running(groups, 1, "while :; do :; done");
    await()
        .atMost(Duration.ofSeconds(10))
        .until(() -> cgroups.usage(id).throttledNanos() > 50_000_000);
    SandboxUsage usage = cgroups.usage(id);
    assertThat(usage.cpuNanos()).isGreaterThan(50_000_000);
    assertThat(usage.memory()).isBetween(1L, 64L << 20);
    assertThat(usage.peakMemory()).isGreaterThanOrEqualTo(usage.memory());
  }

  @Test
  void refusedWritesNameFileAndValue() {
    SandboxGroups groups = cgroups.create(id, LIMITS);
    CgroupFile file = CgroupFile.of(groups.v2(), "cgroup.procs");
    assertThatThrownBy(() -> file.write(999_999_999))
        .hasMessageContaining("999999999")
        .hasMessageContaining("cgroup.procs");
    assertThat(file.writeIfThere(999_999_999)).isFalse();
  }

  /** Starts a shell that waits for a line, moves it to where init would put an exec, lets it go. */
  private Process running(SandboxGroups groups, int exec, String script) throws Exception {
    Process shell =
        new ProcessBuilder("sh", "-c", "read go; " + script)
            .inheritIO()
            .redirectInput(ProcessBuilder.Redirect.PIPE)
            .start();
    processes.add(shell);
    Path own = groups.v2().resolve("work/e-" + exec);
    Syscalls.mkdir(own, 0755);
    List<Path> joins = new ArrayList<>(groups.join());
    joins.add(own.resolve("cgroup.procs"));
    groups
        .memory()
        .ifPresent(
            memory -> {
              Syscalls.mkdir(memory.resolve("e-" + exec), 0755);
              joins.add(memory.resolve("e-" + exec).resolve("cgroup.procs"));
            });
    for (Path join : joins) {
      Syscalls.writeControl(join, String.valueOf(shell.pid()));
    }
    shell.getOutputStream().write('\n');
    shell.getOutputStream().flush();
    return shell;
  }
}
