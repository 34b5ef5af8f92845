// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.dsec.link.Json;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code {"error": {…}}}: the one place where errors become HTTP. */
record ErrorReply(Body error) {
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Body(
      String code,
      String message,
      @Nullable String hint,
      @Nullable String field,
      @Nullable String reason,
      boolean isFault,
      String requestId) {}

  static ErrorReply of(DsecException e, String requestId) {
    return new ErrorReply(
        new Body(
            e.code().code(),
            e.message(),
            e.hint().orElse(null),
            e.field().orElse(null),
            e.reason().map(Json::lower).orElse(null),
            e.isFault(),
            requestId));
  }

  /** What an unforeseen error tells the client: nothing but where to look. */
  static DsecException unforeseen(Throwable e) {
    return DsecException.of(ErrorCode.INTERNAL, "an error that DSec did not foresee")
        .withHint("the server's log has it under this request_id")
        .withCause(e);
  }

  /** Whole seconds for {@code Retry-After}, at least 1. */
  static Optional<String> retryAfter(DsecException e) {
    return e.retryAfter().map(d -> Long.toString(Math.max(1, d.plusMillis(999).toSeconds())));
  }
}
