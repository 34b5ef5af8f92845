// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.DsecException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Texts of requests that the kernel or the database cannot take. */
final class Texts {
  private Texts() {}

  static void noNul(String field, @Nullable String text) {
    int at = text == null ? -1 : text.indexOf('\0');
    if (at >= 0) {
      throw DsecException.invalid(field, "%s has a NUL character at index %d".formatted(field, at));
    }
  }

  /** The map without nulls; a name whose value is null is refused. */
  static Map<String, String> pairs(String field, @Nullable Map<String, String> map) {
    Map<String, String> pairs = new HashMap<>();
    if (map != null) {
      for (Map.Entry<String, @Nullable String> e : map.entrySet()) {
        String value = e.getValue();
        if (value == null) {
          throw DsecException.invalid(field, "%s.%s is null".formatted(field, e.getKey()));
        }
        noNul(field, e.getKey());
        noNul(field, value);
        pairs.put(e.getKey(), value);
      }
    }
    return pairs;
  }
}
