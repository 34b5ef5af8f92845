// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dsec.node.host.LoopDevices;
import io.dsec.node.host.Mounts;
import io.dsec.node.host.OwnedFiles;
import io.dsec.node.host.Program;
import io.dsec.node.host.TestHost;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Project ids on XFS. Limits need a kernel with quota support, so they are not tried here. */
final class ProjectQuotaCallsTest {
  private Path directory;
  private Path mounted;

  @BeforeEach
  void mount() throws Exception {
    TestHost.assumeRoot();
    TestHost.assumeProgram("mkfs.xfs");
    directory = TestHost.directory("project");
    mounted = OwnedFiles.privateDirectory(directory.resolve("mounted"));
    Path image = directory.resolve("image");
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(320 << 20);
    }
    Program.run("mkfs.xfs", "-q", "-s", "size=4096", image.toString());
    try (var loop = LoopDevices.attach(image)) {
      Mounts.mount(loop.device().toString(), mounted, "xfs", 0, "");
    }
  }

  @AfterEach
  void remove() {
    if (directory != null) {
      TestHost.remove(directory);
    }
  }

  @Test
  void whatIsMadeBelowBelongsToTheProject() throws Exception {
    Path layer = Files.createDirectory(mounted.resolve("layer"));
    assertThat(ProjectQuotaCalls.project(layer)).isZero();
    ProjectQuotaCalls.setProject(layer, 123_456_789);
    Path below = Files.createDirectories(layer.resolve("upper/a/b"));
    assertThat(ProjectQuotaCalls.project(below)).isEqualTo(123_456_789);
    assertThat(ProjectQuotaCalls.project(Files.createFile(below.resolve("f"))))
        .isEqualTo(123_456_789);
  }

  @Test
  void withoutQuotaTheReasonIsTold() {
    assertThatThrownBy(() -> ProjectQuotaLayers.probe(mounted, 7))
        .hasMessageContaining("prjquota")
        .hasMessageContaining("quotactl get project 7");
  }
}
