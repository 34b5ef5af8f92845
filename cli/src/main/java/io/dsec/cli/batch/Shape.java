// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.batch;

import io.dsec.link.Json;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** A mapping with known fields; anything else in it is an error that names the field. */
record Shape(String what, Map<String, Rule> rules) implements Rule {
  Shape {
    rules = new LinkedHashMap<>(rules);
  }

  @Override
  public JsonNode check(String field, Doc value) {
    if (!(value instanceof Doc.Fields(Mark _, Map<String, Doc.Field> fields))) {
      throw Rule.wrong(field, value, "a mapping");
    }
    ObjectNode all = Json.mapper().createObjectNode();
    fields.forEach((name, each) -> all.set(name, rule(name, each.at()).check(name, each.value())));
    return all;
  }

  private Rule rule(String name, Mark at) {
    Rule rule = rules.get(name);
    if (rule != null) {
      return rule;
    }
    String known =
        rules.keySet().stream()
            .filter(each -> distance(each, name) <= Math.max(1, name.length() / 3))
            .min(Comparator.comparingInt(each -> distance(each, name)))
            .map(each -> "; did you mean \"" + each + "\"?")
            .orElse("; it may have " + String.join(", ", rules.keySet()));
    throw new BatchFileException(at, "%s has no field \"%s\"%s".formatted(what, name, known));
  }

  /** Letters to insert, drop or change. */
  static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int corner = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int change = corner + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        corner = row[j];
        row[j] = Math.min(change, Math.min(row[j], row[j - 1]) + 1);
      }
    }
    return row[b.length()];
  }
}
