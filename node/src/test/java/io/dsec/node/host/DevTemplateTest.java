// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileInputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class DevTemplateTest {
  private Path directory;
  private DevTemplate dev;

  @BeforeEach
  void prepare() {
    TestHost.assumeRoot();
    directory = TestHost.directory("dev");
    dev = new DevTemplate(directory.resolve("dev"));
    dev.prepare();
  }

  @AfterEach
  void remove() {
    if (directory != null) {
      TestHost.remove(directory);
    }
  }

  @Test
  void devicesWorkForEveryone() throws Exception {
    assertThat(mode("null")).isEqualTo(020666);
    assertThat(mode("tty")).isEqualTo(020666);
    Files.write(dev.directory().resolve("null"), new byte[100]);
    try (FileInputStream zero = new FileInputStream(dev.directory().resolve("zero").toFile())) {
      assertThat(zero.readNBytes(16)).containsOnly(0);
    }
    assertThat(Files.readSymbolicLink(dev.directory().resolve("stdout")))
        .isEqualTo(Path.of("/proc/self/fd/1"));
    assertThat(dev.directory().resolve("shm")).isEmptyDirectory();
  }

  @Test
  void anInterruptedPrepareIsCompleted() throws Exception {
    Files.delete(dev.directory().resolve("full"));
    Files.delete(dev.directory().resolve("fd"));
    dev.prepare();
    assertThat(mode("full")).isEqualTo(020666);
    assertThat(dev.directory().resolve("fd")).isSymbolicLink();
    assertThat(Mounts.all()).filteredOn(m -> m.target().equals(dev.directory())).hasSize(1);
  }

  @Test
  void disposeLeavesNothing() {
    dev.dispose();
    dev.dispose();
    assertThat(directory).isEmptyDirectory();
    assertThat(Mounts.at(dev.directory())).isEmpty();
  }

  private int mode(String name) throws Exception {
    return (int)
        Files.getAttribute(dev.directory().resolve(name), "unix:mode", LinkOption.NOFOLLOW_LINKS);
  }
}
