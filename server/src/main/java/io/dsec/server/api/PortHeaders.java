// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.server.port.HttpHead;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a server inside learns of where a request came from. */
final class PortHeaders {
  /** With any value: the call does not resume a paused sandbox. */
  static final HeaderName RESUME = HeaderNames.create("Dsec-No-Resume");

  static final Pattern PATH = Pattern.compile("(/v1/sandboxes/([^/]+)/ports/([^/]+))(/.*)?");

  private PortHeaders() {}

  static void forwarded(List<HttpHead.Field> fields, String host, String client, String prefix) {
    fields.add(new HttpHead.Field("X-Forwarded-For", client));
    fields.add(new HttpHead.Field("X-Forwarded-Host", host));
    fields.add(new HttpHead.Field("X-Forwarded-Proto", "http"));
    fields.add(new HttpHead.Field("X-Forwarded-Prefix", prefix));
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
