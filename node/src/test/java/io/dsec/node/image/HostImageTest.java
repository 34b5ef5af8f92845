// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.node.host.TestHost;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** On a made-up host with merged /usr, one real program directory, and secrets in /etc. */
final class HostImageTest {
  private Path directory;
  private Path host;
  private HostImage image;

  @BeforeEach
  void host() throws IOException {
    TestHost.assumeRoot();
    directory = TestHost.directory("image");
    host = directory.resolve("host");
    Files.createDirectories(host.resolve("usr/bin"));
    Files.createDirectories(host.resolve("lib64"));
    Files.createSymbolicLink(host.resolve("bin"), Path.of("usr/bin"));
    Files.createFile(host.resolve("usr/bin/bash"));
    etc("ssl/certs/ca-certificates.crt", "-----BEGIN CERTIFICATE-----", "rw-r--r--");
    etc("ssl/certs/mine.pem", "-----BEGIN PRIVATE KEY-----", "rw-r--r--");
    etc("ssl/certs/local.pem", "certificate of secret.example.org", "rw-r--r--");
    etc("inputrc", "-----BEGIN PRIVATE KEY-----", "rw-r--r--");
    etc("services", "secret", "rw-------");
    etc("ssl/private/key.pem", "secret", "rw-r--r--");
    etc("java-17-openjdk/management/jmxremote.password", "secret", "rw-r--r--");
    etc("java-17-openjdk/net.properties", "a=b", "rw-r--r--");
    etc("fonts/local.conf", "secret", "rw-------");
    etc("passwd", "someone:x:1:1::/:/bin/sh", "rw-r--r--");
    etc("hosts", "10.0.0.1 secret", "rw-r--r--");
    etc("gitconfig", "token = secret", "rw-r--r--");
    etc("pip.conf", "index-url = https://user:secret@example.org", "rw-r--r--");
    etc("shadow", "secret", "rw-------");
    Files.createDirectories(host.resolve("etc/alternatives"));
    Files.createSymbolicLink(host.resolve("etc/alternatives/awk"), Path.of("/usr/bin/mawk"));
    image = new HostImage(directory.resolve("images"), host);
  }

  private void etc(String name, String content, String mode) throws IOException {
    Path file = host.resolve("etc").resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
  }

  @AfterEach
  void remove() {
    if (directory != null) {
      TestHost.remove(directory);
    }
  }

  @Test
  void showsProgramsAndNoSecrets() throws IOException {
    Path root = image.prepare().lowers().getFirst();
    assertThat(Files.readSymbolicLink(root.resolve("bin"))).isEqualTo(Path.of("usr/bin"));
    assertThat(root.resolve("usr")).isEmptyDirectory();
    assertThat(root.resolve("etc/alternatives/awk")).isSymbolicLink();
    assertThat(root.resolve("etc/ssl/certs/ca-certificates.crt")).exists();
    assertThat(root.resolve("etc/java-17-openjdk/net.properties")).exists();
    assertThat(root.resolve("etc/passwd"))
        .content()
        .contains("agent:x:1000")
        .doesNotContain("someone");
    try (var files = Files.walk(root)) {
      assertThat(files.filter(f -> Files.isRegularFile(f)))
          .allSatisfy(f -> assertThat(f).content().doesNotContain("secret", "PRIVATE KEY"));
    }
    assertThat(root.resolve("etc/gitconfig")).doesNotExist();
  }

  @Test
  void ownersAndModesAreRight() throws IOException {
    Path root = image.prepare().lowers().getFirst();
    assertThat(owner(root.resolve("workspace"))).isEqualTo("1000:1000 40755");
    assertThat(owner(root.resolve("home/agent"))).isEqualTo("1000:1000 40755");
    assertThat(owner(root.resolve("root"))).isEqualTo("0:0 40700");
    assertThat(owner(root.resolve("tmp"))).isEqualTo("0:0 41777");
    assertThat(owner(root.resolve("var/tmp"))).isEqualTo("0:0 41777");
    assertThat(owner(root)).isEqualTo("0:0 40755");
    assertThat(owner(root.resolve("etc/ssl"))).isEqualTo("0:0 40755");
    assertThat(owner(root.resolve("etc/resolv.conf"))).isEqualTo("0:0 100644");
  }

  private static String owner(Path path) throws IOException {
    return "%s:%s %s"
        .formatted(
            Files.getAttribute(path, "unix:uid"),
            Files.getAttribute(path, "unix:gid"),
            Integer.toOctalString((int) Files.getAttribute(path, "unix:mode")));
  }

  @Test
  void bindsWhatIsNoLinkOnTheHost() {
    assertThat(image.prepare().binds())
        .extracting(Image.ImageBind::target)
        .containsExactly("/usr", "/lib64");
  }

  @Test
  void isWrittenOncePerStateOfTheHost() throws IOException {
    Path root = image.prepare().lowers().getFirst();
    assertThat(image.prepare().lowers()).containsExactly(root);
    etc("services", "http 80/tcp", "rw-r--r--");
    Path next = image.prepare().lowers().getFirst();
    assertThat(next).isNotEqualTo(root).exists();
    assertThat(root).as("sandboxes may still run on it").exists();
  }

  @Test
  void anUnfinishedRootIsSwept() throws IOException {
    Path draft = Files.createDirectories(directory.resolve("images/draft-1/etc")).getParent();
    image.prepare();
    assertThat(draft).doesNotExist();
  }

  @Test
  void otherNamesAreToldApart() {
    ImageCatalog catalog = new ImageCatalog(image);
    assertThat(catalog.resolve("host").digest()).isEqualTo("host");
    assertThatThrownBy(() -> catalog.resolve("python:3.12"))
        .isInstanceOfSatisfying(
            DsecException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.IMAGE_NOT_FOUND))
        .hasMessageContaining("python:3.12");
  }
}
