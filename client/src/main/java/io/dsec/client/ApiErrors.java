// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Turns an error reply into the exception that the server had. */
final class ApiErrors {
  private ApiErrors() {}

  static DsecException of(int status, HttpHeaders headers, byte[] body, String call) {
    DsecException e =
        of(read(body), byStatus(status), "%s was answered with HTTP %d".formatted(call, status));
    var after = headers.firstValue("Retry-After").filter(v -> v.matches("\\d{1,9}"));
    return after.isPresent()
        ? e.withRetryAfter(Duration.ofSeconds(Long.parseLong(after.get())))
        : e;
  }

  /** {@code code} and {@code otherwise} stand for what {@code said} does not tell. */
  static DsecException of(JsonNode said, ErrorCode code, String otherwise) {
    JsonNode error = said.path("error");
    String message = Replies.text(error, "message");
    DsecException e =
        DsecException.of(
            Replies.constant(ErrorCode.class, Replies.text(error, "code")).orElse(code),
            message == null ? otherwise : message);
    String field = Replies.text(error, "field");
    String hint = Replies.text(error, "hint");
    e = field == null ? e : e.withField(field);
    return hint == null ? e : e.withHint(hint);
  }

  private static JsonNode read(byte[] body) {
    try {
      return Replies.mapper().readTree(new String(body, StandardCharsets.UTF_8));
    } catch (JacksonException _) {
      return Replies.mapper().createObjectNode();
    }
  }

  private static ErrorCode byStatus(int status) {
    return Arrays.stream(ErrorCode.values())
        .filter(code -> code.status() == status)
        .findFirst()
        .orElse(status >= 400 && status < 500 ? ErrorCode.INVALID_REQUEST : ErrorCode.INTERNAL);
  }
}
