// SPDX-License-Identifier: Apache-2.0
package io.dsec.client.trajectory;

import io.dsec.link.Json;
import java.io.IOException;
import java.util.Iterator;
import java.util.Locale;
import tools.jackson.databind.node.ObjectNode;

/**
 * asciicast v2: a terminal session to play back. Each exec shows as a prompt with its command,
 * followed by its output in the order it came; line ends become CR LF as a terminal would make
 * them.
 */
public final class AsciicastExporter implements TrajectoryExporter {
  @Override
  public void export(Iterator<String> lines, Appendable out) throws IOException {
    boolean started = false;
    char last = '\n';
    while (lines.hasNext()) {
      TrajectoryEvent event = TrajectoryEvent.parse(lines.next());
      if (!started) {
        header(event, out);
        started = true;
      }
      String shown = shown(event, last);
      if (!shown.isEmpty()) {
        line(event, event.kind().equals("exec.stdin") ? "i" : "o", shown, out);
        last = event.kind().equals("exec.stdin") ? last : shown.charAt(shown.length() - 1);
      }
    }
  }

  private static void header(TrajectoryEvent first, Appendable out) throws IOException {
    ObjectNode header = Json.mapper().createObjectNode();
    header.put("version", 2).put("width", 80).put("height", 24);
    header.put("timestamp", first.wall().minusNanos(first.t()).getEpochSecond());
    header.put("title", first.sandbox());
    out.append(header.toString()).append('\n');
  }

  private static String shown(TrajectoryEvent event, char last) {
    return switch (event.kind()) {
      case "exec.start" -> (last == '\n' ? "" : "\r\n") + "$ " + Turn.command(event) + "\r\n";
      case "exec.stdout", "exec.stderr" -> event.text().replaceAll("(?<!\r)\n", "\r\n");
      case "exec.stdin" -> event.text();
      default -> "";
    };
  }

  private static void line(TrajectoryEvent event, String code, String text, Appendable out)
      throws IOException {
    out.append(String.format(Locale.ROOT, "[%.6f, \"%s\", ", event.t() / 1e9, code))
        .append(Json.mapper().writeValueAsString(text))
        .append("]\n");
  }
}
