// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dsec.model.DsecException;
import io.dsec.model.SandboxId;
import io.dsec.node.host.BlockingCalls;
import io.dsec.node.host.Mounts;
import io.dsec.node.host.OwnedFiles;
import io.dsec.node.host.TestHost;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class DiskBackendsTest {
  private final BlockingCalls calls = new BlockingCalls(2);
  private Path directory;

  @BeforeEach
  void prepare() {
    TestHost.assumeRoot();
    directory = TestHost.directory("choice");
  }

  @AfterEach
  void remove() {
    calls.close();
    if (directory != null) {
      assertThat(Mounts.below(directory)).isEmpty();
      TestHost.remove(directory);
    }
  }

  @Test
  void theFirstThatLimitsIsTakenAndTheOthersTellWhyNot() {
    DiskConfig config = DiskConfig.of(directory).withBackends("project-quota", "tmpfs");
    DiskBackends.Choice choice = new DiskBackends(config, calls, new Random(1)).choose();
    assertThat(choice.layers().name()).isEqualTo("tmpfs");
    assertThat(choice.refused())
        .singleElement()
        .satisfies(
            r -> {
              assertThat(r.backend()).isEqualTo("project-quota");
              assertThat(r.reason()).contains("prjquota");
            });
    assertThat(choice.layers().present()).as("the test layer is gone").isEmpty();
    choice.layers().dispose();
  }

  @Test
  void withoutAnyTheNodeDoesNotRun() {
    DiskConfig config = DiskConfig.of(directory).withBackends("project-quota");
    assertThatThrownBy(() -> new DiskBackends(config, calls, new Random(1)).choose())
        .isInstanceOf(DsecException.class)
        .hasMessageContaining("no back end can limit");
  }

  @Test
  void everyDefaultHostGetsOne() {
    TestHost.assumeProgram("mkfs.ext4");
    DiskConfig config = DiskConfig.of(directory).withPoolBytes(1L << 30);
    DiskBackends.Choice choice = new DiskBackends(config, calls, new Random(1)).choose();
    assertThat(choice.layers().name()).isIn("btrfs", "ext4-image");
    choice.layers().dispose();
  }

  @Test
  void liveLayersKeepTheirBackEndAcrossARestart() {
    TestHost.assumeProgram("mkfs.ext4");
    SandboxId id = SandboxId.random(new Random(5));
    WritableLayers first = choose("tmpfs");
    first.create(id, 16 << 20);
    WritableLayers after = choose("ext4-image", "tmpfs");
    assertThat(after.name()).isEqualTo("tmpfs");
    assertThat(after.present()).containsExactly(id);
    after.destroy(id);
    WritableLayers last = choose("ext4-image", "tmpfs");
    assertThat(last.name()).isEqualTo("ext4-image");
    assertThat(directory.resolve("tmpfs")).doesNotExist();
    last.dispose();
  }

  private WritableLayers choose(String... backends) {
    DiskConfig config = DiskConfig.of(directory).withBackends(backends);
    return new DiskBackends(config, calls, new Random(1)).choose().layers();
  }

  /** Also the reason why a limit has to be tried, and not believed. */
  @Test
  void aBackEndWhoseLimitDoesNotHoldFailsTheTest() {
    WritableLayers boundless = new Boundless(directory.resolve("boundless"));
    assertThatThrownBy(() -> new LimitTest(new Random(1)).run(boundless))
        .hasMessageContaining("not enforced");
    assertThat(boundless.present()).isEmpty();
  }

  @Test
  void configurationTellsAllProblems() {
    assertThatThrownBy(() -> new DiskConfig(Path.of("relative"), java.util.List.of("zfs"), 5, -1))
        .hasMessageContaining("absolute")
        .hasMessageContaining("zfs")
        .hasMessageContaining("disk.pool")
        .hasMessageContaining("disk.stock");
  }

  private record Boundless(Path directory) implements WritableLayers {
    @Override
    public String name() {
      return "boundless";
    }

    @Override
    public void prepare() {}

    @Override
    public WritableLayer create(SandboxId id, long bytes) {
      return LayerDirectories.make(directory.resolve(id.value()));
    }

    @Override
    public WritableLayer copy(SandboxId from, SandboxId to, long bytes) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long used(SandboxId id) {
      return 0;
    }

    @Override
    public void destroy(SandboxId id) {
      OwnedFiles.deleteTree(directory.resolve(id.value()));
    }

    @Override
    public Set<SandboxId> present() {
      return LayerDirectories.idsIn(directory);
    }

    @Override
    public void dispose() {}
  }
}
