// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabaseTest {
  @TempDir Path data = Path.of("/");

  @Test
  void aLibraryThatAKilledProcessLeftIsSwept() throws Exception {
    Path place = Files.createDirectory(data.resolve("native"));
    Path library = Files.createFile(place.resolve("sqlite-3.1-0-libsqlitejdbc.so"));
    Path lock = Files.createFile(place.resolve("sqlite-3.1-0-libsqlitejdbc.so.lck"));
    try (Database _ = Database.open(data.resolve("server.db"))) {
      assertThat(library).doesNotExist();
      assertThat(lock).doesNotExist();
    }
  }
}
