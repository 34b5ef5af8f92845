// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.FileWatch;
import io.dsec.link.Json;
import io.dsec.model.Bytes;
import io.dsec.model.FileChange;
import io.dsec.model.SandboxId;
import io.dsec.server.exec.Execs;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code …/files/watch}: changes as lines, with heartbeats between them. */
final class WatchRoutes {
  /** A reader that is gone closes the watch; so this bounds nothing that is waited for. */
  private static final Duration LOOK = Duration.ofMinutes(1);

  private final Execs execs;
  private final Beats beats;

  WatchRoutes(Execs execs, Beats beats) {
    this.execs = execs;
    this.beats = beats;
  }

  void watch(Exchange exchange) throws IOException, InterruptedException {
    SandboxId id = exchange.sandboxId();
    Bytes path = FilePlace.inQuery(exchange, "path");
    boolean recursive = exchange.flag("recursive");
    execs.tell(
        exchange.caller(),
        id,
        node -> {
          try (FileWatch watch = node.files(id, exchange.query("user")).watch(path, recursive)) {
            follow(exchange, watch, path);
          }
        });
  }

  private void follow(Exchange exchange, FileWatch watch, Bytes path) throws IOException {
    byte[] start =
        Json.mapper().writeValueAsBytes(Map.of("start", Map.of("path", path.lossyText())));
    byte[] first = Arrays.copyOf(start, start.length + 1);
    first[start.length] = '\n';
    try (Lines lines =
        Lines.followed(exchange, beats, first, LineEncoder.HEARTBEAT, watch::close)) {
      while (lines.open()) {
        FileChange change;
        try {
          change = watch.next(LOOK);
        } catch (IOException e) {
          lines.json(Map.of("end", Map.of("reason", "stopped")));
          return;
        }
        if (change != null && change.kind() == FileChange.Kind.GONE) {
          lines.json(Map.of("end", Map.of("reason", "gone")));
          return;
        }
        if (change != null) {
          lines.json(shown(change));
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
}
