// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.node.host.LoopDevices;
import io.dsec.node.host.Mounts;
import io.dsec.node.host.TestHost;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class BtrfsLayersTest extends WritableLayersContract {
  @Override
  void assume() {
    TestHost.assumeProgram("mkfs.btrfs");
  }

  @Override
  WritableLayers backend(Path in) {
    return new BtrfsLayers(in, 2L << 30, calls);
  }

  @Test
  void disposeDetachesAndKeepsLiveLayers() throws Exception {
    Files.writeString(layers.create(id, 16 * MIB).upper().resolve("kept"), "x");
    layers.dispose();
    assertThat(Mounts.below(directory)).isEmpty();
    assertThat(LoopDevices.showing(directory.resolve("pool.img"))).isEmpty();
    layers.prepare();
    assertThat(layers.create(id, 16 * MIB).upper().resolve("kept")).hasContent("x");
  }

  @Test
  void aPoolThatTheKernelMadeReadOnlyIsMountedAgain() throws Exception {
    layers.create(id, 16 * MIB);
    Mounts.mount("none", directory.resolve("pool"), "btrfs", Mounts.REMOUNT | Mounts.RDONLY, "");
    layers.prepare();
    Files.writeString(layers.create(id, 16 * MIB).upper().resolve("f"), "x");
  }

  @Test
  void aBrokenPoolIsMadeAnew() throws Exception {
    layers.dispose();
    Files.write(directory.resolve("pool.img"), new byte[1 << 20]);
    layers.prepare();
    assertThat(layers.create(id, 16 * MIB).upper()).isEmptyDirectory();
  }
}
