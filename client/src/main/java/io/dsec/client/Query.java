// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Path segments and query strings. */
final class Query {
  private final StringBuilder text;
  private char separator = '?';

  private Query(String path) {
    text = new StringBuilder(path);
  }

  static Query of(String path) {
    return new Query(path);
  }

  static String segment(String value) {
    return URLEncoder.encode(value, StandardCharsets.UTF_8).replace("+", "%20");
  }

  Query with(String name, @Nullable Object value) {
    if (value != null) {
      text.append(separator).append(name).append('=').append(segment(value.toString()));
      separator = '&';
    }
    return this;
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
