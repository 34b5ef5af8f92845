// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dsec.node.host.Mounts;
import io.dsec.node.host.TestHost;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class HostProbeTest {
  private Path data;

  @BeforeEach
  void prepare() {
    data = TestHost.directory("probe");
  }

  @AfterEach
  void remove() {
    TestHost.remove(data);
  }

  @Test
  void everyFindingHasItsReasonAndNothingStays() {
    assertThat(new HostProbe(data).findings())
        .hasSizeGreaterThan(12)
        .allSatisfy(
            finding -> {
              assertThat(finding.detail()).isNotBlank();
              assertThat(finding.hint().isEmpty()).isEqualTo(finding.ok());
            });
    assertThat(data).isEmptyDirectory();
    Path later = data.resolve("later");
    assertThat(new HostProbe(later).findings()).isNotEmpty();
    assertThat(later).doesNotExist();
    assertThat(Mounts.below(data)).isEmpty();
  }

  @Test
  void aHostThatRunsTheOtherTestsHasAllThatIsRequired() {
    TestHost.assumeRoot();
    assertThat(new HostProbe(data).findings()).allMatch(Finding::acceptable);
  }

  @Test
  void aDataDirectoryThatCannotBeMadeIsAFinding() {
    Path impossible = Path.of("/proc/none/data");
    assertThat(new HostProbe(impossible).findings())
        .filteredOn(f -> f.name().equals("overlay"))
        .singleElement()
        .satisfies(
            f -> {
              assertThat(f.ok()).isFalse();
              assertThat(f.acceptable()).isFalse();
              assertThat(f.detail()).contains("/proc");
            });
  }

  @Test
  void oldKernelsAreRefused() throws Exception {
    assertThat(KernelChecks.kernel("6.18.44-generic")).contains("6.18.44");
    assertThat(KernelChecks.kernel("7.0")).contains("7.0");
    assertThatThrownBy(() -> KernelChecks.kernel("5.15.0-91-generic"))
        .hasMessageContaining("too old");
    assertThatThrownBy(() -> KernelChecks.kernel("6.1.0")).hasMessageContaining("too old");
    assertThatThrownBy(() -> KernelChecks.kernel("mine")).hasMessageContaining("mine");
  }
}
