// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.term.Style;
import io.dsec.cli.term.Table;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** An object as lines of names and values; nested ones are written with dots. */
final class Describe {
  private record Line(String name, String value) {}

  private Describe() {}

  static List<String> lines(JsonNode object, Style style) {
    List<Line> lines = new ArrayList<>();
    collect("", object, lines);
    int width = lines.stream().mapToInt(line -> line.name().length()).max().orElse(0);
    return lines.stream()
        .map(
            line ->
                style.faint(line.name())
                    + " ".repeat(width - line.name().length() + 2)
                    + line.value())
        .toList();
  }

  private static void collect(String prefix, JsonNode node, List<Line> into) {
    node.properties()
        .forEach(
            field -> {
              String name = prefix + field.getKey();
              JsonNode value = field.getValue();
              if (value.isObject() && !value.isEmpty()) {
                collect(name + ".", value, into);
              } else if (!value.isNull() && !(value.isContainer() && value.isEmpty())) {
                into.add(
                    new Line(
                        Table.printable(name),
                        Table.printable(
                            value.isString() ? value.stringValue() : value.toString())));
              }
            });
  }
}
