// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.cgroup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dsec.model.Resources;
import io.dsec.model.Resources.DiskMedium;
import org.junit.jupiter.api.Test;

final class KernelTextTest {
  @Test
  void numbers() {
    assertThat(KernelText.number("536870912", 7)).isEqualTo(536870912);
    assertThat(KernelText.number("max", 7)).isEqualTo(7);
    assertThat(KernelText.number("", 7)).isEqualTo(7);
  }

  @Test
  void fields() {
    String text = "usage_usec 8112\nuser_usec 5340\nnr_throttled 3\nthrottled_usec 99\n";
    assertThat(KernelText.field(text, "usage_usec")).isEqualTo(8112);
    assertThat(KernelText.field(text, "throttled_usec")).isEqualTo(99);
    assertThat(KernelText.field(text, "usage")).isZero();
    assertThat(KernelText.field("", "max")).isZero();
  }

  @Test
  void totalMemory() {
    String text = "MemTotal:       24683948 kB\nMemFree:        23524000 kB\n";
    assertThat(KernelText.memTotal(text)).isEqualTo(24683948L * 1024);
  }

  @Test
  void limitsStayWithinWhatTheKernelTakes() {
    Limits one = Limits.of(resources(1));
    assertThat(one.cpuQuota()).isEqualTo(100_000);
    assertThat(one.cpuShares()).isEqualTo(1024);
    assertThat(one.cpuWeight()).isEqualTo(100);
    Limits tiny = Limits.of(resources(0.01));
    assertThat(tiny.cpuQuota()).isEqualTo(1000);
    assertThat(tiny.cpuShares()).isEqualTo(10);
    assertThat(tiny.cpuWeight()).isEqualTo(1);
    Limits huge = Limits.of(resources(1024));
    assertThat(huge.cpuShares()).isEqualTo(262_144);
    assertThat(huge.cpuWeight()).isEqualTo(10_000);
  }

  @Test
  void theReserveLeavesSandboxesAtLeastAQuarter() {
    HostTotals totals = new HostTotals(4L << 30, 32_768, 2);
    CgroupConfig config = CgroupConfig.of("dsec-a");
    assertThat(totals.sandboxMemory(config)).isEqualTo((4L << 30) - (512L << 20));
    assertThat(totals.sandboxPids(config)).isEqualTo(32_768 - 2048);
    assertThat(totals.sandboxMemory(config.withReserveMemory(8L << 30))).isEqualTo(1L << 30);
  }

  @Test
  void prefixesThatLeaveTheTreeAreRefused() {
    assertThat(CgroupConfig.of("dsec.slice/dsec-a").prefix()).isEqualTo("dsec.slice/dsec-a");
    for (String bad : new String[] {"", "/a", "..", "a/../b", "a b", "a/"}) {
      assertThatThrownBy(() -> CgroupConfig.of(bad)).hasMessageContaining("prefix");
    }
    assertThatThrownBy(() -> CgroupConfig.of("a").withReserveMemory(-1))
        .hasMessageContaining("reserve_memory");
  }

  private static Resources resources(double cpu) {
    return new Resources(cpu, 1L << 30, 1L << 30, 10, 0, DiskMedium.DISK, 0);
  }
}
