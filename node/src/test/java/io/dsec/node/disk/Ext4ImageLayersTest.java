// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dsec.model.SandboxId;
import io.dsec.node.host.Mounts;
import io.dsec.node.host.TestHost;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
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

  @Override
  void settle() {
    layers.create(id, 16 * MIB);
    SandboxId second = SandboxId.random(random);
    layers.create(second, 16 * MIB);
    Ext4ImageLayers images = (Ext4ImageLayers) layers;
    await().atMost(Duration.ofSeconds(20)).until(() -> images.stocked() == 2);
    layers.destroy(second);
  }

  @Test
  void disposeDetachesAndKeepsLiveLayers() throws Exception {
    Files.writeString(layers.create(id, 16 * MIB).upper().resolve("kept"), "x");
    layers.dispose();
    assertThat(Mounts.below(directory)).isEmpty();
    layers.prepare();
    assertThat(layers.create(id, 16 * MIB).upper().resolve("kept")).hasContent("x");
  }

  @Test
  void commonSizesAreMadeAheadAndHandedOver() throws Exception {
    WritableLayer first = layers.create(id, 16 * MIB);
    settle();
    WritableLayer second = layers.create(SandboxId.random(random), 16 * MIB);
    assertThat(second.upper()).isEmptyDirectory().isNotEqualTo(first.upper());
    settle();
    assertThat(layers.present()).as("the stock is nobody's").hasSize(2);
  }

  @Test
  void onlyTheLastFewSizesAreKeptInStock() {
    Ext4ImageLayers images = (Ext4ImageLayers) layers;
    for (int mib = 8; mib < 16; mib++) {
      layers.create(SandboxId.random(random), mib * MIB);
      layers.create(SandboxId.random(random), mib * MIB);
    }
    await().atMost(Duration.ofSeconds(30)).until(() -> images.stocked() == 8);
  }

  @Test
  void aDestroyThatWasCutShortIsFinished() throws Exception {
    layers.create(id, 16 * MIB);
    Path volume = Files.readSymbolicLink(directory.resolve("layers").resolve(id.value()));
    Mounts.unmount(directory.resolve("volumes").resolve(volume.getFileName()));
    Files.delete(directory.resolve("volumes").resolve(volume.getFileName() + ".img"));
    layers.prepare();
    assertThat(layers.present()).containsExactly(id);
    assertThat(layers.create(id, 16 * MIB).upper()).isEmptyDirectory();
    layers.destroy(id);
    assertThat(layers.present()).isEmpty();
  }

  @Test
  void aBrokenImageDoesNotStopTheNode() throws Exception {
    layers.create(id, 16 * MIB);
    settle();
    layers.dispose();
    Path volume = Files.readSymbolicLink(directory.resolve("layers").resolve(id.value()));
    Files.write(
        directory.resolve("volumes").resolve(volume.getFileName() + ".img"), new byte[1 << 20]);
    layers.prepare();
    assertThat(layers.present()).containsExactly(id);
  }

  @Test
  void volumesThatNobodyOwnsAreSweptAfterACrash() throws Exception {
    WritableLayer layer = layers.create(id, 16 * MIB);
    settle();
    Path volumes = directory.resolve("volumes");
    Files.write(volumes.resolve("v-half.img"), new byte[4096]);
    Files.createDirectory(volumes.resolve("v-empty"));
    WritableLayers after = backend(directory);
    after.prepare();
    try (var left = Files.list(volumes)) {
      assertThat(left.map(p -> p.getFileName().toString()))
          .allMatch(name -> layer.upper().toString().contains(name.replace(".img", "")));
    }
    after.dispose();
  }

  @Test
  void theWholeSizeIsUsable() throws Exception {
    for (long mib : new long[] {1, 64, 1024, 10_240}) {
      WritableLayer layer = layers.create(SandboxId.random(random), mib * MIB);
      long usable = Files.getFileStore(layer.upper()).getUsableSpace();
      assertThat(usable).isBetween(mib * MIB, mib * MIB * 103 / 100 + 2 * MIB);
    }
  }
}
