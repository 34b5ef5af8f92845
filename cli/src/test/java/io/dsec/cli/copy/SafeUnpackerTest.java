// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.copy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dsec.model.DsecException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SafeUnpackerTest {
  @TempDir private Path here;
  private ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private TarArchiveOutputStream tar = new TarArchiveOutputStream(bytes);
  private Path in = Path.of("");
  private Path out = Path.of("");

  @BeforeEach
  void directories() throws IOException {
    in = Files.createDirectory(here.resolve("in"));
    out = Files.createDirectory(here.resolve("out"));
    Files.writeString(out.resolve("secret"), "secret");
  }

  private void file(String name, int mode) throws IOException {
    TarArchiveEntry entry = new TarArchiveEntry(name, true);
    entry.setSize(1);
    entry.setMode(mode);
    tar.putArchiveEntry(entry);
    tar.write('x');
    tar.closeArchiveEntry();
  }

  private void link(String name, byte kind, String target) throws IOException {
    TarArchiveEntry entry = new TarArchiveEntry(name, kind, true);
    entry.setLinkName(target);
    tar.putArchiveEntry(entry);
    tar.closeArchiveEntry();
  }

  private void unpack() throws IOException {
    tar.close();
    SafeUnpacker.unpack(new ByteArrayInputStream(bytes.toByteArray()), in);
  }

  interface Hostile {
    void add() throws IOException;
  }

  @Test
  void nothingOfAHostileArchiveGetsOutside() throws IOException {
    Hostile[] all = {
      () -> file(out + "/absolute", 0644),
      () -> file("a/../../out/up", 0644),
      () -> {
        link("l", TarConstants.LF_SYMLINK, out.toString());
        file("l/through", 0644);
      },
      () -> {
        link("m", TarConstants.LF_SYMLINK, "../out");
        file("m/deep/through", 0644);
      },
      () -> link("hard", TarConstants.LF_LINK, "../out/secret"),
    };
    for (Hostile one : all) {
      bytes = new ByteArrayOutputStream();
      tar = new TarArchiveOutputStream(bytes);
      one.add();
      assertThatThrownBy(this::unpack)
          .isInstanceOf(DsecException.class)
          .hasMessageContaining("leads out");
    }
    try (var left = Files.list(out)) {
      assertThat(left).containsExactly(out.resolve("secret"));
    }
  }

  @Test
  void aLinkIsReplacedAndNeverWrittenThrough() throws IOException {
    link("f", TarConstants.LF_SYMLINK, out.resolve("secret").toString());
    file("f", 04755);
    unpack();
    assertThat(Files.readString(out.resolve("secret"), UTF_8)).isEqualTo("secret");
    assertThat(Files.readString(in.resolve("f"), UTF_8)).isEqualTo("x");
    assertThat((Integer) Files.getAttribute(in.resolve("f"), "unix:mode") & 07777)
        .as("no set-uid")
        .isEqualTo(0755);
  }
}
