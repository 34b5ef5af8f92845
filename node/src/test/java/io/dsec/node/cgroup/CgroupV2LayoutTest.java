// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.cgroup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dsec.model.DsecException;
import io.dsec.model.Resources;
import io.dsec.model.Resources.DiskMedium;
import io.dsec.model.SandboxId;
import io.dsec.node.host.MountPoint;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is written where, with a plain directory that plays the unified hierarchy. */
final class CgroupV2LayoutTest {
  private static final Resources LIMITS =
      new Resources(0.5, 64L << 20, 1L << 30, 16, 0, DiskMedium.DISK, 0);

  private final SandboxId id = SandboxId.random(new Random(1));
  @TempDir private Path root;
  private Path own;
  private Path sandbox;
  private CgroupV2 cgroups;

  @BeforeEach
  void controlFilesThatAKernelWouldMake() throws Exception {
    own = root.resolve("outer/dsec-a");
    sandbox = own.resolve("sandboxes").resolve(id.value());
    for (Path group : List.of(root, root.resolve("outer"), own, own.resolve("guests"))) {
      files(group, "cgroup.subtree_control", "cgroup.procs", "cpu.weight");
    }
    files(
        own.resolve("sandboxes"), "cgroup.subtree_control", "cpu.weight", "memory.max", "pids.max");
    files(own.resolve("sandboxes"), "memory.swap.max");
    files(sandbox, "cgroup.subtree_control", "cpu.weight", "cgroup.kill", "cgroup.events");
    files(sandbox.resolve("work"), "cgroup.subtree_control", "memory.max", "memory.swap.max");
    files(sandbox.resolve("work"), "cpu.max", "pids.max", "cpu.stat", "memory.current");
    files(sandbox.resolve("work"), "memory.peak", "pids.current", "pids.events");
    files(sandbox.resolve("work/e-7"), "cgroup.kill");
    cgroups =
        new CgroupV2(CgroupConfig.of("outer/dsec-a"), new HostTotals(8L << 30, 32_768, 4), root);
  }

  private static void files(Path group, String... names) throws Exception {
    Files.createDirectories(group);
    for (String name : names) {
      Files.createFile(group.resolve(name));
    }
  }

  @Test
  void controllersAreHandedDownAndAllSandboxesCapped() {
    cgroups.prepare();
    for (Path group : List.of(root, root.resolve("outer"), own, own.resolve("sandboxes"))) {
      assertThat(group.resolve("cgroup.subtree_control")).hasContent("+cpu +memory +pids");
    }
    assertThat(own.resolve("guests/cgroup.subtree_control")).isEmptyFile();
    assertThat(own.resolve("cpu.weight")).hasContent("600");
    Path sandboxes = own.resolve("sandboxes");
    assertThat(sandboxes.resolve("cpu.weight")).hasContent("400");
    assertThat(sandboxes.resolve("memory.max")).hasContent("" + ((8L << 30) - (512L << 20)));
    assertThat(sandboxes.resolve("memory.swap.max")).hasContent("0");
    assertThat(sandboxes.resolve("pids.max")).hasContent("30720");
  }

  @Test
  void limitsSitOnWorkAndInitStaysOutside() {
    SandboxGroups groups = cgroups.create(id, LIMITS);
    assertThat(groups.v2()).isEqualTo(sandbox);
    assertThat(groups.memory()).isEmpty();
    assertThat(groups.join()).isEmpty();
    assertThat(sandbox.resolve("init")).isEmptyDirectory();
    assertThat(sandbox.resolve("cgroup.subtree_control")).hasContent("+cpu +memory +pids");
    Path work = sandbox.resolve("work");
    assertThat(work.resolve("cgroup.subtree_control")).hasContent("+memory");
    assertThat(work.resolve("memory.max")).hasContent("67108864");
    assertThat(work.resolve("memory.swap.max")).as("the parent's binds").isEmptyFile();
    assertThat(work.resolve("cpu.max")).hasContent("50000 100000");
    assertThat(work.resolve("pids.max")).hasContent("16");
    assertThat(sandbox.resolve("cpu.weight")).hasContent("50");
  }

  @Test
  void useIsReadFromWork() throws Exception {
    Path work = sandbox.resolve("work");
    Files.writeString(work.resolve("cpu.stat"), "usage_usec 12\nthrottled_usec 34\n");
    Files.writeString(work.resolve("memory.current"), "4096\n");
    Files.writeString(work.resolve("memory.peak"), "8192\n");
    Files.writeString(work.resolve("pids.current"), "3\n");
    Files.writeString(work.resolve("pids.events"), "max 5\n");
    assertThat(cgroups.usage(id)).isEqualTo(new SandboxUsage(12_000, 4096, 8192, 3, 34_000));
    assertThat(cgroups.pidsRefused(id)).isEqualTo(5);
    Files.delete(work.resolve("memory.peak"));
    assertThat(cgroups.usage(id).peakMemory()).isEqualTo(4096);
  }

  @Test
  void killingAndListing() throws Exception {
    Files.writeString(sandbox.resolve("cgroup.events"), "populated 1\nfrozen 0\n");
    assertThat(cgroups.empty(id)).isFalse();
    cgroups.killExec(id, 7);
    assertThat(sandbox.resolve("work/e-7/cgroup.kill")).hasContent("1");
    assertThat(sandbox.resolve("cgroup.kill")).isEmptyFile();
    cgroups.kill(id);
    assertThat(sandbox.resolve("cgroup.kill")).hasContent("1");
    cgroups.killExec(id, 8);
    cgroups.kill(SandboxId.random(new Random(2)));
    Files.createDirectory(own.resolve("sandboxes/stranger"));
    assertThat(cgroups.present()).containsExactly(id);
  }

  @Test
  void goneSandboxesHaveNoUse() {
    SandboxId gone = SandboxId.random(new Random(3));
    assertThat(cgroups.usage(gone)).isEqualTo(new SandboxUsage(0, 0, 0, 0, 0));
    assertThat(cgroups.empty(gone)).isTrue();
    cgroups.remove(gone);
  }

  @Test
  void theKindIsChosenByWhatIsMounted() throws Exception {
    CgroupConfig config = CgroupConfig.of("dsec-a");
    MountPoint unified = mount(root, "cgroup2", "rw");
    List<MountPoint> v1 =
        List.of(
            mount(root.resolve("m"), "cgroup", "rw", "memory"),
            mount(root.resolve("c"), "cgroup", "rw", "cpu", "cpuacct"),
            mount(root.resolve("p"), "cgroup", "rw", "pids"));
    Files.writeString(root.resolve("cgroup.controllers"), "cpuset cpu io memory pids\n");
    assertThat(CgroupProbe.choose(config, List.of(unified))).isInstanceOf(CgroupV2.class);
    Files.writeString(root.resolve("cgroup.controllers"), "hugetlb\n");
    List<MountPoint> hybrid = new ArrayList<>(v1);
    hybrid.add(unified);
    assertThat(CgroupProbe.choose(config, hybrid)).isInstanceOf(CgroupV1.class);
    assertThat(CgroupProbe.choose(config, v1)).isInstanceOf(CgroupV1.class);
    assertThatThrownBy(() -> CgroupProbe.choose(config, v1.subList(0, 1)))
        .isInstanceOf(DsecException.class)
        .hasMessageContaining("[cpu, pids]");
  }

  private static MountPoint mount(Path target, String type, String... options) {
    return new MountPoint(target, List.of("rw"), type, type, List.of(options));
  }
}
