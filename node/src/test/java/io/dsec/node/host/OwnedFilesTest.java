// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnedFilesTest {
  @TempDir private Path directory;

  @BeforeEach
  void root() {
    TestHost.assumeRoot();
  }

  @Test
  void newDirectoriesHaveOwnerAndModeWhateverTheUmaskAndTheParent() throws Exception {
    Path group = OwnedFiles.directory(directory.resolve("group"), 02770, 5, 6);
    assertThat(tell(group)).isEqualTo("5:6 42770");
    assertThat(tell(OwnedFiles.directory(group.resolve("inherits"), 0755, 0, 0)))
        .isEqualTo("0:0 40755");
    assertThat(tell(OwnedFiles.directory(directory.resolve("tmp"), 01777, 0, 0)))
        .isEqualTo("0:0 41777");
    assertThat(tell(OwnedFiles.privateDirectory(directory.resolve("a/b/c"))))
        .isEqualTo("0:0 40700");
  }

  @Test
  void anExistingOneIsSetRight() throws Exception {
    Path path = Files.createDirectory(directory.resolve("d"));
    Files.setAttribute(path, "unix:uid", 7);
    Files.setAttribute(path, "unix:mode", 0777);
    assertThat(tell(OwnedFiles.directory(path, 0700, 0, 0))).isEqualTo("0:0 40700");
    Path file = Files.createFile(directory.resolve("f"));
    assertThat(tell(OwnedFiles.own(file, 04755, 1000, 1000))).isEqualTo("1000:1000 104755");
    assertThatThrownBy(() -> OwnedFiles.directory(file, 0700, 0, 0))
        .isInstanceOf(UncheckedIOException.class);
  }

  private static String tell(Path path) throws Exception {
    return "%s:%s %s"
        .formatted(
            Files.getAttribute(path, "unix:uid"),
            Files.getAttribute(path, "unix:gid"),
            Integer.toOctalString((int) Files.getAttribute(path, "unix:mode")));
  }
}
