// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import io.dsec.model.Bytes;
import java.util.ArrayList;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** Reply of an exec. */
record Ran(JsonNode json) {
  String kind() {
    return json.path("ending").path("kind").asString("");
  }

  int code() {
    return json.path("ending").path("code").asInt(-1);
  }

  int signal() {
    return json.path("ending").path("signal").asInt(-1);
  }

  boolean isFault() {
    return json.path("ending").path("is_fault").asBoolean(true);
  }

  List<String> limits() {
    List<String> out = new ArrayList<>();
    json.path("ending").path("limits_hit").forEach(l -> out.add(l.asString("")));
    return out;
  }

  String stdout() {
    return json.path("stdout").asString("");
  }

  String stderr() {
    return json.path("stderr").asString("");
  }

  Bytes stdoutBytes() {
    JsonNode raw = json.path("stdout_base64");
    return raw.isString() ? Bytes.base64(raw.asString("")) : Bytes.utf8(stdout());
  }

  long stdoutTotal() {
    return json.path("stdout_bytes").asLong(-1);
  }

  boolean truncated() {
    return json.path("stdout_truncated").asBoolean(false);
  }

  double seconds() {
    return json.path("duration_seconds").asDouble(-1);
  }

  /** {@code exited 0}, {@code signaled 9}, {@code timeout}, … */
  String ending() {
    return switch (kind()) {
      case "exited" -> "exited " + code();
      case "signaled" -> "signaled " + signal();
      default -> kind();
    };
  }
}
