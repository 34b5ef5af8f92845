// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.term.Style;
import io.dsec.cli.term.Table;
import io.dsec.link.Json;
import io.dsec.model.Bytes;
import io.dsec.model.DsecException;
import io.dsec.model.Ending;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;

/** One event of a trajectory as a line of a time line. */
final class EventText {
  private static final int PREVIEW = 100;

  private EventText() {}

  static String of(JsonNode event, Style style) {
    String kind = event.path("kind").asString("?");
    String head =
        String.format(
            Locale.ROOT,
            "%6d %12.6f  %-16s",
            event.path("seq").asLong(0),
            event.path("t").asLong(0) / 1e9,
            Table.printable(kind));
    return (style.faint(head) + "  " + colour(kind, body(event.path("data")), style))
        .stripTrailing();
  }

  private static String colour(String kind, String text, Style style) {
    return switch (kind) {
      case "exec.start" -> style.bold(text);
      case "exec.stderr", "net.denied" -> style.yellow(text);
      case "sandbox.failed", "record.gap" -> style.red(text);
      default -> text;
    };
  }

  private static String body(JsonNode data) {
    if (!data.isObject()) {
      return data.isMissingNode() || data.isNull() ? "" : preview(data.toString());
    }
    return data.properties().stream()
        .filter(field -> !field.getValue().isNull())
        .map(field -> part(field.getKey(), field.getValue()))
        .collect(Collectors.joining("  "));
  }

  private static String part(String name, JsonNode value) {
    return switch (name) {
      case "argv" ->
          preview(
              StreamSupport.stream(value.spliterator(), false)
                  .map(JsonNode::asString)
                  .collect(Collectors.joining(" ")));
      case "ending" -> ending(value);
      case "data", "text", "path" -> preview(text(value));
      default -> name + "=" + preview(text(value));
    };
  }

  private static String ending(JsonNode value) {
    try {
      return EndingText.of(Json.mapper().treeToValue(value, Ending.class));
    } catch (IllegalArgumentException | DsecException _) {
      return preview(value.toString());
    }
  }

  private static String text(JsonNode value) {
    if (value.isString()) {
      return value.stringValue();
    }
    return value.path("base64").isString()
        ? Bytes.base64(value.path("base64").stringValue()).lossyText()
        : value.toString();
  }

  private static String preview(String text) {
    String clean = Table.printable(text.replace("\n", "\\n"));
    return clean.length() <= PREVIEW ? clean : clean.substring(0, PREVIEW) + "…";
  }
}
