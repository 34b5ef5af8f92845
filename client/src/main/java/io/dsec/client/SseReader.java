// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** Server-sent events of one connection. */
final class SseReader {
  private final LineReader lines;

  SseReader(InputStream in) {
    this.lines = new LineReader(in);
  }

  /** The next event; null when the connection ends, also in the midst of one. */
  @Nullable BatchEvent next() throws IOException {
    String id = null;
    String kind = "message";
    StringBuilder data = new StringBuilder();
    while (lines.next()) {
      String line = lines.text();
      line = line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
      if (line.isEmpty()) {
        if (!data.isEmpty()) {
          return new BatchEvent(id, kind, data.substring(0, data.length() - 1));
        }
        kind = "message";
      } else if (!line.startsWith(":")) {
        int colon = line.indexOf(':');
        String field = colon < 0 ? line : line.substring(0, colon);
        String value = colon < 0 ? "" : line.substring(colon + 1);
        value = value.startsWith(" ") ? value.substring(1) : value;
        switch (field) {
          case "id" -> id = value;
          case "event" -> kind = value;
          case "data" -> data.append(value).append('\n');
          default -> {}
        }
      }
    }
    return null;
  }
}
