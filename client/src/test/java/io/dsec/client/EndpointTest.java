// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.dsec.model.DsecException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EndpointTest {
  private static final Optional<Credentials> FILE =
      Optional.of(new Credentials(URI.create("http://file:1"), "k-file"));

  @Test
  void theOptionWinsThenTheEnvironmentThenTheFileThenTheDefault() {
    Map<String, String> env = Map.of("DSEC_URL", "http://env:1", "DSEC_API_KEY", "k-env");
    assertThat(Endpoint.resolve(Optional.of("http://opt:1/"), Optional.of("k-opt"), env, FILE))
        .isEqualTo(new Endpoint(URI.create("http://opt:1"), "k-opt"));
    assertThat(Endpoint.resolve(Optional.empty(), Optional.empty(), env, FILE))
        .isEqualTo(new Endpoint(URI.create("http://env:1"), "k-env"));
    assertThat(Endpoint.resolve(Optional.empty(), Optional.empty(), Map.of(), FILE))
        .isEqualTo(new Endpoint(URI.create("http://file:1"), "k-file"));
    assertThat(Endpoint.resolve(Optional.empty(), Optional.empty(), Map.of(), Optional.empty()))
        .isEqualTo(new Endpoint(URI.create("http://127.0.0.1:7070"), null));
  }

  @Test
  void theKeyOfTheFileGoesToItsOwnServerOnly() {
    assertThat(Endpoint.resolve(Optional.of("other:1"), Optional.empty(), Map.of(), FILE).key())
        .isNull();
    assertThat(
            Endpoint.resolve(Optional.of("http://file:1/"), Optional.empty(), Map.of(), FILE).key())
        .isEqualTo("k-file");
  }

  @Test
  void aUrlWithoutAHostIsRefused() {
    assertThatExceptionOfType(DsecException.class)
        .isThrownBy(
            () ->
                Endpoint.resolve(
                    Optional.of("ftp://x"), Optional.empty(), Map.of(), Optional.empty()));
  }

  @Test
  void onlyTheOwnerReadsTheCredentialsFile(@TempDir Path dir) throws Exception {
    Path file = dir.resolve("a/b/credentials");
    FILE.orElseThrow().write(file);
    FILE.orElseThrow().write(file);
    assertThat(Credentials.read(file)).isEqualTo(FILE);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
        .isEqualTo("rw-------");
    assertThat(dir.resolve("a/b")).isDirectoryNotContaining(path -> !path.equals(file));
    assertThat(FILE.orElseThrow().toString()).doesNotContain("k-file");
  }
}
