// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Reads a list to its end, page by page. */
final class Pages {
  private static final int PAGE = 500;

  private Pages() {}

  static List<JsonNode> all(Transport transport, Query query, String plural) {
    List<JsonNode> all = new ArrayList<>();
    String path = query.with("limit", PAGE).toString();
    String cursor = null;
    do {
      JsonNode page = transport.json("GET", page(path, cursor), null, DsecClient.CALL);
      page.path(plural).forEach(all::add);
      cursor = Replies.text(page, "next_cursor");
    } while (cursor != null && !cursor.isEmpty());
    return all;
  }

  private static String page(String path, @Nullable String cursor) {
    return cursor == null ? path : path + "&cursor=" + Query.segment(cursor);
  }
}
