// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.Bytes;
import io.dsec.model.SandboxId;
import io.dsec.server.exec.Execs;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** {@code …/archive}: whole directories as tar, both ways, as they come. */
final class ArchiveRoutes {
  static final String TAR = "application/x-tar";
  private static final int CHUNK = 128 << 10;

  private final Execs execs;

  ArchiveRoutes(Execs execs) {
    this.execs = execs;
  }

  void pack(Exchange exchange) throws IOException, InterruptedException {
    SandboxId id = exchange.sandboxId();
    Bytes path = FilePlace.inQuery(exchange, "path");
    Optional<String> user = exchange.query("user");
    execs.tell(
        exchange.caller(),
        id,
        node -> {
          byte[] buffer = new byte[CHUNK];
          try (InputStream in = node.files(id, user).pack(path)) {
            // Closed at its end alone: an archive that breaks off must not look complete.
            OutputStream out = exchange.stream(200, TAR, OptionalLong.empty());
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
              out.write(buffer, 0, n);
            }
            out.close();
          }
        });
  }

  void unpack(Exchange exchange) throws IOException, InterruptedException {
    SandboxId id = exchange.sandboxId();
    Bytes path = FilePlace.inQuery(exchange, "path");
    long entries =
        execs.during(
            exchange.caller(),
            id,
            node -> {
              try (InputStream archive = exchange.exactBodyStream()) {
                return node.files(id, exchange.query("user")).unpack(path, archive);
              } catch (IOException e) {
                throw ExactInput.cut(e);
              }
            });
    exchange.reply(200, Map.of("entries", entries));
  }
}
