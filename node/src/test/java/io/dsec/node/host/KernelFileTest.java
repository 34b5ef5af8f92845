// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class KernelFileTest {
  @Test
  void aNumberBelowProcSysIsReadWhole() throws Exception {
    String text = KernelFile.read(Path.of("/proc/sys/kernel/pid_max")).strip();
    assertThat(Integer.parseInt(text)).isGreaterThan(100);
  }

  @Test
  void longTablesAreReadWhole() throws Exception {
    assertThat(KernelFile.read(Path.of("/proc/self/mountinfo"))).endsWith("\n");
    assertThat(KernelFile.read(Path.of("/proc/kallsyms")).length()).isGreaterThan(1 << 17);
  }
}
