// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dsec.model.SandboxId;
import io.dsec.node.host.BlockingCalls;
import io.dsec.node.host.Mounts;
import io.dsec.node.host.Program;
import io.dsec.node.host.TestHost;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every back end promises. */
abstract class WritableLayersContract {
  static final long MIB = 1L << 20;

  final Random random = new Random(11);
  final BlockingCalls calls = new BlockingCalls(4);
  final SandboxId id = SandboxId.random(random);
  Path directory;
  WritableLayers layers;

  abstract WritableLayers backend(Path in);

  void assume() {}

  /** Waits for what the back end does in the background. */
  void settle() {}

  @BeforeEach
  void prepare() {
    TestHost.assumeRoot();
    assume();
    directory = TestHost.directory("disk");
    layers = backend(directory);
    layers.prepare();
    layers.prepare();
  }

  @AfterEach
  void remove() {
    if (layers != null) {
      layers.present().forEach(layers::destroy);
      layers.dispose();
    }
    calls.close();
    if (directory != null) {
      assertThat(Mounts.below(directory)).isEmpty();
      TestHost.remove(directory);
    }
  }

  @Test
  void aNewLayerIsEmptyAndBelongsToRoot() throws Exception {
    WritableLayer layer = layers.create(id, 16 * MIB);
    for (Path path : new Path[] {layer.upper(), layer.work()}) {
      assertThat(path).isEmptyDirectory();
      assertThat(Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS)).isEqualTo(0);
      assertThat(Files.getAttribute(path, "unix:mode")).isEqualTo(040755);
      assertThat(Files.getAttribute(path.getParent(), "unix:mode")).isEqualTo(040700);
    }
    assertThat(Files.getAttribute(layer.upper(), "unix:dev"))
        .isEqualTo(Files.getAttribute(layer.work(), "unix:dev"));
  }

  /** False where a layer cannot be copied. */
  boolean copies() {
    return true;
  }

  @Test
  void aCopyHasTheFilesAFreshWorkDirectoryAndALifeOfItsOwn() throws Exception {
    WritableLayer layer = layers.create(id, 16 * MIB);
    SandboxId other = SandboxId.random(random);
    if (!copies()) {
      assertThatThrownBy(() -> layers.copy(id, other, 16 * MIB)).hasMessageContaining("memory");
      return;
    }
    Path file = Files.writeString(layer.upper().resolve("a"), "first");
    Files.createLink(layer.upper().resolve("hard"), file);
    Files.createSymbolicLink(layer.upper().resolve("soft"), Path.of("/etc/passwd"));
    Files.setAttribute(file, "unix:mode", 04640);
    Files.setAttribute(file, "unix:uid", 1000);
    Files.writeString(layer.work().resolve("old"), "x");
    var _ = layers.copy(id, other, 16 * MIB);
    WritableLayer copy = layers.copy(id, other, 16 * MIB);
    assertThat(copy.work()).isEmptyDirectory();
    Path copied = copy.upper().resolve("a");
    assertThat(copied).hasContent("first");
    assertThat(Files.getAttribute(copied, "unix:nlink")).isEqualTo(2);
    assertThat(Files.getAttribute(copied, "unix:uid")).isEqualTo(1000);
    assertThat(Files.readSymbolicLink(copy.upper().resolve("soft")).toString())
        .isEqualTo("/etc/passwd");
    Files.writeString(file, "second");
    layers.destroy(id);
    assertThat(copied).hasContent("first");
    assertThat(layers.present()).containsExactly(other);
  }

  @Test
  void creatingAgainKeepsWhatIsThere() throws Exception {
    WritableLayer layer = layers.create(id, 16 * MIB);
    Files.writeString(layer.upper().resolve("kept"), "x");
    assertThat(layers.create(id, 16 * MIB)).isEqualTo(layer);
    assertThat(layer.upper().resolve("kept")).hasContent("x");
  }

  @Test
  void i1WritingWithoutEndMeetsTheLimit() throws Exception {
    for (long mib : new long[] {1, 20, 100}) {
      SandboxId one = SandboxId.random(random);
      Path file = layers.create(one, mib * MIB).upper().resolve("big");
      long written = fill(file, 3 * mib * MIB + 8 * MIB);
      assertThat(written)
          .isBetween(mib * MIB * 97 / 100 - MIB / 4, mib * MIB * 105 / 100 + 2 * MIB);
      assertThat(layers.used(one)).isGreaterThan(mib * MIB / 2);
      Files.delete(file);
      layers.destroy(one);
    }
  }

  @Test
  void aFullLayerDoesNotHurtTheNext() throws Exception {
    fill(layers.create(id, 10 * MIB).upper().resolve("big"), 40 * MIB);
    Path other = layers.create(SandboxId.random(random), 10 * MIB).upper();
    assertThat(fill(other.resolve("f"), 5 * MIB)).isEqualTo(5 * MIB);
  }

  @Test
  void f42PreallocatedAndUnlinkedFilesCountToo() throws Exception {
    Path upper = layers.create(id, 20 * MIB).upper();
    assertThatThrownBy(
            () -> Program.run("fallocate", "-l", "60M", upper.resolve("planned").toString()))
        .hasMessageMatching("(?s).*(No space left on device|Disk quota exceeded).*");
    Files.delete(upper.resolve("planned"));
    Path gone = upper.resolve("gone");
    try (FileChannel open =
        FileChannel.open(gone, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      Files.delete(gone);
      open.write(ByteBuffer.allocate((int) (15 * MIB)));
      assertThat(fill(upper.resolve("more"), 20 * MIB)).isLessThan(10 * MIB);
    }
  }

  @Test
  void emptyFilesAreBoundedToo() throws Exception {
    Path upper = layers.create(id, 4 * MIB).upper();
    assertThatThrownBy(
            () -> {
              for (int i = 0; i < 100_000; i++) {
                Files.createFile(upper.resolve("file-with-a-rather-long-name-" + i));
              }
            })
        .isInstanceOf(IOException.class);
  }

  @Test
  void presentListsAndDestroyRemoves() {
    SandboxId other = SandboxId.random(random);
    layers.create(id, 16 * MIB);
    layers.create(other, 16 * MIB);
    assertThat(layers.present()).containsExactlyInAnyOrder(id, other);
    layers.destroy(id);
    layers.destroy(id);
    layers.destroy(SandboxId.random(random));
    assertThat(layers.present()).containsExactly(other);
    assertThat(layers.used(id)).isZero();
  }

  @Test
  void aNodeThatWasKilledFindsItsLayersAgain() throws Exception {
    WritableLayer layer = layers.create(id, 16 * MIB);
    Files.writeString(layer.upper().resolve("kept"), "x");
    settle();
    WritableLayers after = backend(directory);
    after.prepare();
    assertThat(after.present()).containsExactly(id);
    assertThat(layer.upper().resolve("kept")).hasContent("x");
    after.destroy(id);
    assertThat(after.present()).isEmpty();
  }

  /** Bytes written until refused. */
  static long fill(Path file, long most) throws IOException {
    ByteBuffer chunk = ByteBuffer.allocateDirect(1 << 14);
    long written = 0;
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      while (written < most) {
        written += channel.write(chunk.clear());
      }
    } catch (IOException e) {
      assertThat(e).hasMessageMatching("No space left on device|Disk quota exceeded");
    }
    return written;
  }
}
