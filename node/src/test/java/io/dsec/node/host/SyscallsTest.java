// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SyscallsTest {
  @TempDir private Path directory;

  @Test
  void failuresNameOperationObjectAndError() {
    assertThatThrownBy(() -> Syscalls.rmdir(directory.resolve("none")))
        .isInstanceOfSatisfying(
            SyscallException.class, e -> assertThat(e.errno()).isEqualTo(Errno.ENOENT))
        .hasMessage("rmdir %s/none: ENOENT (no such file or directory)", directory);
    assertThatThrownBy(() -> Mounts.mount("x", directory, "no-such-fs", 0, "a=b"))
        .isInstanceOf(SyscallException.class)
        .hasMessageContaining("mount no-such-fs (a=b) on " + directory);
  }

  @Test
  void controlFilesAreWrittenInOneCall() throws Exception {
    Path file = Files.createFile(directory.resolve("control"));
    Syscalls.writeControl(file, "100000 50000");
    assertThat(file).hasContent("100000 50000");
    Syscalls.mkdir(directory.resolve("d"), 0755);
    assertThatThrownBy(() -> Syscalls.mkdir(directory.resolve("d"), 0755))
        .hasMessageContaining("EEXIST");
    Syscalls.rmdir(directory.resolve("d"));
    assertThat(directory.resolve("d")).doesNotExist();
  }

  @Test
  void holesAreFound() throws Exception {
    Path file = directory.resolve("sparse");
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.seek(1 << 20);
      sparse.write(1);
      sparse.setLength(4 << 20);
    }
    try (Descriptor open = Syscalls.open(file, Syscalls.O_RDONLY)) {
      long data = open.nextData(0);
      assertThat(data).isLessThanOrEqualTo(1 << 20);
      assertThat(open.nextHole(data)).isGreaterThan(1 << 20);
      assertThat(open.nextData(2 << 20)).isEqualTo(-1);
    }
  }

  @Test
  void treesAreDeletedAndLinksAreNotFollowed() throws Exception {
    Path kept = Files.createFile(directory.resolve("kept"));
    Path tree = Files.createDirectories(directory.resolve("tree/a/b"));
    Files.createSymbolicLink(tree.resolve("link"), directory);
    OwnedFiles.deleteTree(directory.resolve("tree"));
    assertThat(directory.resolve("tree")).doesNotExist();
    assertThat(kept).exists();
  }

  @Test
  void programsThatFailTellWhy() {
    assertThatThrownBy(() -> Program.run("sh", "-c", "echo broken >&2; exit 3"))
        .hasMessageContaining("status 3")
        .hasMessageContaining("broken");
    assertThatThrownBy(() -> Program.run("no-such-program"))
        .hasMessage("no-such-program is not installed");
    assertThatThrownBy(() -> Program.run(Duration.ofMillis(100), "sh", "-c", "exec sleep 600"))
        .hasMessageContaining("status 137");
  }
}
