// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.FileWatch;
import io.dsec.link.Json;
import io.dsec.model.Bytes;
import io.dsec.model.FileChange;
import io.dsec.model.SandboxId;
import io.dsec.server.exec.Execs;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** {@code …/files/watch}: changes as lines, with heartbeats between them. */
final class WatchRoutes {
  private final Execs execs;
  private final Duration heartbeat;

  WatchRoutes(Execs execs, Duration heartbeat) {
    this.execs = execs;
    this.heartbeat = heartbeat;
  }

  void watch(Exchange exchange) throws IOException, InterruptedException {
    SandboxId id = exchange.sandboxId();
    Bytes path = FilePlace.inQuery(exchange, "path");
    boolean recursive = exchange.flag("recursive");
    boolean _ =
        execs.during(
            exchange.caller(),
            id,
            node -> {
              try (FileWatch watch =
                  node.files(id, exchange.query("user")).watch(path, recursive)) {
                follow(exchange, watch, path);
              }
              return true;
            });
  }

  private void follow(Exchange exchange, FileWatch watch, Bytes path) throws IOException {
    try (OutputStream out = exchange.stream(200, Exchange.NDJSON, OptionalLong.empty())) {
      line(out, Map.of("start", Map.of("path", path.lossyText())));
      while (true) {
        FileChange change;
        try {
          change = watch.next(heartbeat);
        } catch (IOException e) {
          line(out, Map.of("end", Map.of("reason", "stopped")));
          return;
        }
        if (change == null) {
          line(out, Map.of("heartbeat", Map.of()));
        } else if (change.kind() == FileChange.Kind.GONE) {
          line(out, Map.of("end", Map.of("reason", "gone")));
          return;
        } else {
          line(out, shown(change));
        }
      }
    }
  }

  private static Map<String, @Nullable Object> shown(FileChange change) {
    Map<String, @Nullable Object> line = new LinkedHashMap<>();
    line.put("event", Json.lower(change.kind()));
    if (change.kind() != FileChange.Kind.OVERFLOW) {
      name(line, "path", change.path());
      change.from().ifPresent(from -> name(line, "from", from));
      line.put("directory", change.directory());
    }
    return line;
  }

  private static void name(Map<String, @Nullable Object> line, String field, Bytes path) {
    line.put(field, path.lossyText());
    String exact = EntryReply.exact(path);
    if (exact != null) {
      line.put(field + "_base64", exact);
    }
  }

  private static void line(OutputStream out, Map<String, ?> value) throws IOException {
    out.write(Json.mapper().writeValueAsBytes(value));
    out.write('\n');
    out.flush();
  }
}
