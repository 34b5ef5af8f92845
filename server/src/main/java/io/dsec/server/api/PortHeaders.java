// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.server.port.HttpHead;
import io.helidon.http.Header;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import io.helidon.http.Headers;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a server inside learns of where a request came from. */
final class PortHeaders {
  /** With any value: the call does not resume a paused sandbox. */
  static final HeaderName RESUME = HeaderNames.create("Dsec-No-Resume");

  static final Pattern PATH = Pattern.compile("(/v1/sandboxes/([^/]+)/ports/([^/]+))(/.*)?");

  /** What is meant for us, and what only we may say. */
  private static final Set<String> OURS =
      Set.of("authorization", "host", "expect", "content-length", "dsec-no-resume");

  /** Where a request came from. */
  record Origin(String client, String host, String rawPath) {}

  private PortHeaders() {}

  /**
   * The head for the server inside: what the client sent, without what is meant for us or for one
   * connection, and with {@code framing}.
   *
   * @param request {@code GET /rest HTTP/1.1}
   */
  static HttpHead request(
      String request, Headers from, int port, Origin origin, List<HttpHead.Field> framing) {
    List<HttpHead.Field> came = new ArrayList<>();
    for (Header header : from) {
      for (String value : header.allValues()) {
        came.add(new HttpHead.Field(header.name(), value));
      }
    }
    List<HttpHead.Field> fields = new ArrayList<>();
    fields.add(new HttpHead.Field("Host", "localhost:" + port));
    for (HttpHead.Field field : new HttpHead("", came).endToEnd()) {
      String name = field.name().toLowerCase(Locale.ROOT);
      if (!OURS.contains(name) && !name.startsWith("x-forwarded-")) {
        fields.add(field);
      }
    }
    fields.add(new HttpHead.Field("X-Forwarded-For", origin.client()));
    fields.add(new HttpHead.Field("X-Forwarded-Host", origin.host()));
    fields.add(new HttpHead.Field("X-Forwarded-Proto", "http"));
    fields.add(new HttpHead.Field("X-Forwarded-Prefix", prefix(origin.rawPath())));
    fields.addAll(framing);
    return new HttpHead(request, fields);
  }

  /** Of a reply: what is passed on to the client; how its body is told is left out. */
  static List<HttpHead.Field> passedOn(HttpHead reply) {
    return reply.endToEnd().stream()
        .filter(f -> !f.is("content-length") && !f.is("dsec-error")) // only we may say that one
        .toList();
  }

  static String prefix(String rawPath) {
    Matcher path = PATH.matcher(rawPath);
    return path.matches() ? path.group(1) : "";
  }

  /** The rest of the path, as the client wrote it. */
  static String target(String rawPath, String rawQuery) {
    Matcher path = PATH.matcher(rawPath);
    String rest = path.matches() && path.group(4) != null ? path.group(4) : "/";
    return rawQuery.isEmpty() ? rest : rest + "?" + rawQuery;
  }
}
