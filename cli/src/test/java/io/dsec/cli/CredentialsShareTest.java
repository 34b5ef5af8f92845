// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.client.Credentials;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CredentialsShareTest {
  @TempDir private Path dir;

  private String offer(String url, String key) throws Exception {
    return new CredentialsShare(file(), dir.resolve("data"), at -> at.getPort() == 1)
        .offer(credentials(url, key));
  }

  private Path file() {
    return dir.resolve("config/credentials");
  }

  private static Credentials credentials(String url, String key) {
    return new Credentials(URI.create(url), key);
  }

  @Test
  void writesWhatIsAbsentOrItsOwn() throws Exception {
    assertThat(offer("http://127.0.0.1:1", "k1")).contains(file().toString());
    offer("http://127.0.0.1:2", "k1");
    assertThat(Credentials.read(file())).contains(credentials("http://127.0.0.1:2", "k1"));
    offer("http://127.0.0.1:2", "k2");
    assertThat(Credentials.read(file())).contains(credentials("http://127.0.0.1:2", "k2"));
  }

  @Test
  void leavesThoseOfAnotherServerAlone() throws Exception {
    offer("http://other:1", "k1");
    assertThat(offer("http://127.0.0.1:2", "k2")).contains("admin-key", "stays");
    assertThat(Credentials.read(file())).contains(credentials("http://other:1", "k1"));
  }

  @Test
  void replacesThoseOfALocalServerThatAnswersNoMore() throws Exception {
    offer("http://127.0.0.1:1", "k1");
    offer("http://127.0.0.1:2", "k2");
    assertThat(Credentials.read(file())).contains(credentials("http://127.0.0.1:1", "k1"));
    Files.delete(file());
    offer("http://127.0.0.1:3", "k1");
    offer("http://127.0.0.1:2", "k2");
    assertThat(Credentials.read(file())).contains(credentials("http://127.0.0.1:2", "k2"));
  }

  @Test
  void leavesAFileItDoesNotUnderstandAlone() throws Exception {
    Files.createDirectories(dir.resolve("config"));
    Files.writeString(file(), "mine");
    offer("http://127.0.0.1:2", "k2");
    assertThat(Files.readString(file())).isEqualTo("mine");
  }
}
