// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

final class MountPointTest {
  @Test
  void aLineWithOptionalFieldsAndEscapes() {
    MountPoint mount =
        MountPoint.parse(
            "41 31 0:38 /sub /mnt/a\\040b rw,nosuid,relatime shared:5 master:2 - cgroup2 no\\134ne"
                + " rw,nsdelegate,favordynmods");
    assertThat(mount.target()).isEqualTo(Path.of("/mnt/a b"));
    assertThat(mount.type()).isEqualTo("cgroup2");
    assertThat(mount.source()).isEqualTo("no\\ne");
    assertThat(mount.superOptions()).isEqualTo(List.of("rw", "nsdelegate", "favordynmods"));
    assertThat(mount.flags()).isEqualTo(Mounts.NOSUID | 1L << 21);
  }

  @Test
  void everyLineOfThisHostIsUnderstood() {
    assertThat(Mounts.all()).isNotEmpty();
    assertThat(Mounts.at(Path.of("/proc")))
        .hasValueSatisfying(m -> assertThat(m.type()).isEqualTo("proc"));
    assertThat(Mounts.mounted(Path.of("/proc"))).isTrue();
    assertThat(Mounts.mounted(Path.of("/proc/self"))).isFalse();
    assertThat(Mounts.mounted(Path.of("/none"))).isFalse();
  }

  @Test
  void neededCapabilitiesAreNamedWhenMissing() {
    assertThat(Capabilities.missing("Name:\tx\nCapEff:\t000001fffeffffff\n")).isEmpty();
    assertThat(Capabilities.missing("CapEff:\t000001ffffdfffff\n"))
        .containsExactly("CAP_SYS_ADMIN");
    assertThat(Capabilities.missing("")).hasSize(9);
  }
}
