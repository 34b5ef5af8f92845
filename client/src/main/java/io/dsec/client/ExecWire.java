// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.model.Bytes;
import io.dsec.model.DsecException;
import io.dsec.model.Ending;
import io.dsec.model.ErrorCode;
import io.dsec.model.ExecResult;
import io.dsec.model.ExecSpec;
import io.dsec.model.Limit;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** JSON of an exec: what is asked and what comes back. */
final class ExecWire {
  private ExecWire() {}

  static ObjectNode request(ExecSpec spec) {
    ObjectNode json = Replies.mapper().createObjectNode();
    if (spec.shell()) {
      json.put("shell", spec.argv().getFirst());
    } else {
      json.set("argv", Replies.mapper().valueToTree(spec.argv()));
    }
    if (spec.login()) {
      json.put("login", true);
    }
    spec.cwd().ifPresent(cwd -> json.put("cwd", cwd));
    spec.user().ifPresent(user -> json.put("user", user));
    if (!spec.env().isEmpty()) {
      json.set("env", Replies.mapper().valueToTree(spec.env()));
    }
    spec.stdin().ifPresent(stdin -> json.put("stdin_base64", stdin.base64()));
    if (spec.stdinOpen()) {
      json.put("stdin_open", true);
    }
    spec.timeout().ifPresent(limit -> json.put("timeout", limit.toNanos() / 1e9));
    if (spec.maxOutput() != ExecSpec.DEFAULT_MAX_OUTPUT) {
      json.put("max_output", spec.maxOutput());
    }
    return json;
  }

  static ExecResult result(JsonNode json) {
    JsonNode seq = json.path("seq");
    return new ExecResult(
        json.path("id").asString(""),
        ending(json.path("ending")),
        limits(json.path("ending").path("limits_hit")),
        output(json, "stdout"),
        output(json, "stderr"),
        json.path("stdout_bytes").asLong(0),
        json.path("stderr_bytes").asLong(0),
        Duration.ofNanos((long) (json.path("duration_seconds").asDouble(0) * 1e9)),
        seq.path(0).asLong(0),
        seq.path(1).asLong(0));
  }

  static Ending ending(JsonNode json) {
    try {
      return Replies.as(json, Ending.class);
    } catch (IllegalArgumentException | DsecException e) {
      throw DsecException.of(
              ErrorCode.INTERNAL,
              "the server speaks of an ending that this client does not know: " + json)
          .withHint("use a client of the server's version")
          .withCause(e);
    }
  }

  static Set<Limit> limits(JsonNode names) {
    Set<Limit> limits = EnumSet.noneOf(Limit.class);
    for (JsonNode name : names) {
      Replies.constant(Limit.class, name.asString("")).ifPresent(limits::add);
    }
    return limits;
  }

  private static Bytes output(JsonNode json, String stream) {
    String exact = Replies.text(json, stream + "_base64");
    if (exact != null) {
      return Bytes.base64(exact);
    }
    String text = Replies.text(json, stream);
    return text == null ? Bytes.EMPTY : Bytes.utf8(text);
  }
}
