// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Json;
import io.dsec.model.DsecException;
import io.dsec.server.store.Claim;
import io.helidon.http.HeaderName;
import io.helidon.http.HeaderNames;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.node.ObjectNode;

/** The identity that a client gives a create: an {@code Idempotency-Key} or a task id. */
final class Identity {
  private static final HeaderName KEY = HeaderNames.create("Idempotency-Key");
  private static final int LONGEST = 255;

  private Identity() {}

  /** {@code what} is the kind of thing created; a key of one kind says nothing of another. */
  static Optional<Claim> fromHeader(Exchange exchange, String what, JsonNode body) {
    return exchange
        .header(KEY)
        .map(
            key -> {
              checkLength("Idempotency-Key", key);
              return new Claim(exchange.caller().tenant(), what + "-key", key, digest(body));
            });
  }

  /**
   * As {@link #fromHeader}, for a body that is too large to compare otherwise than by its bytes.
   */
  static Optional<Claim> ofBytes(Exchange exchange, String what, byte[] body) {
    return exchange
        .header(KEY)
        .map(
            key -> {
              checkLength("Idempotency-Key", key);
              return new Claim(exchange.caller().tenant(), what + "-key", key, sha256(body));
            });
  }

  /** The same task id with other content is another thing, so the content is part of the name. */
  static Claim ofTask(Exchange exchange, String what, String taskId, JsonNode body) {
    checkLength("task_id", taskId);
    String content = digest(body);
    return new Claim(exchange.caller().tenant(), what + "-task", taskId + "\n" + content, content);
  }

  /** SHA-256 of the request whatever the order of its fields; how to wait is no part of it. */
  private static String digest(JsonNode body) {
    ObjectNode content = ((ObjectNode) body).deepCopy();
    content.remove("wait");
    content.remove("wait_timeout");
    byte[] canonical =
        Json.mapper()
            .writer()
            .with(JsonNodeFeature.WRITE_PROPERTIES_SORTED)
            .writeValueAsBytes(content);
    return sha256(canonical);
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  private static void checkLength(String field, String text) {
    if (text.isBlank() || text.length() > LONGEST) {
      throw DsecException.invalid(
          field, "%s must have 1 to %d characters".formatted(field, LONGEST));
    }
    Texts.noNul(field, text);
  }
}
