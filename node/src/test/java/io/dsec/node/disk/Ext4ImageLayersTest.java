// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.node.host.Mounts;
import io.dsec.node.host.TestHost;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

final class Ext4ImageLayersTest extends WritableLayersContract {
  @Override
  void assume() {
    TestHost.assumeProgram("mkfs.ext4");
  }

  @Override
  WritableLayers backend(Path in) {
    return new Ext4ImageLayers(in, 2, calls, random);
  }

  @Test
  void disposeDetachesAndKeepsLiveLayers() throws Exception {
    Files.writeString(layers.create(id, 16 * MIB).upper().resolve("kept"), "x");
    layers.dispose();
    assertThat(Mounts.below(directory)).isEmpty();
    layers.prepare();
    assertThat(layers.create(id, 16 * MIB).upper().resolve("kept")).hasContent("x");
  }
}
