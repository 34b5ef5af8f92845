// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.term.Figures;
import io.dsec.cli.term.Style;
import io.dsec.cli.term.Table;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import tools.jackson.databind.JsonNode;

/**
 * Sandboxes as {@code dsec sandbox ls} shows them, from what the server sent as it is: records for
 * them would take a third of the command's time.
 */
final class SandboxTable {
  private SandboxTable() {}

  static List<String> lines(Style style, List<JsonNode> sandboxes, Instant now) {
    Table table =
        new Table(
            style, "ID", "STATE", "REASON", "IMAGE", "TIER", "NODE", ">AGE", ">ENDS IN", "LABELS");
    for (JsonNode s : sandboxes) {
      table.row(
          text(s, "id"),
          text(s, "state"),
          text(s, "reason"),
          text(s, "image"),
          text(s, "tier"),
          text(s, "node"),
          s.hasNonNull("created_at") ? Figures.age(instant(s, "created_at"), now) : "-",
          s.hasNonNull("expires_at") && !text(s, "state").equals("gone")
              ? Figures.age(now, instant(s, "expires_at"))
              : "-",
          labels(s.path("labels")));
    }
    return table.lines();
  }

  private static Instant instant(JsonNode sandbox, String field) {
    return Instant.parse(sandbox.path(field).asString());
  }

  private static String text(JsonNode sandbox, String field) {
    String text = sandbox.path(field).asString("");
    return text.isEmpty() ? "-" : text;
  }

  private static String labels(JsonNode labels) {
    return labels.properties().stream()
        .map(e -> e.getKey() + "=" + e.getValue().asString(""))
        .sorted()
        .collect(Collectors.joining(","));
  }
}
