// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Json;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.helidon.http.DirectHandler;
import io.helidon.http.HeaderNames;
import io.helidon.webserver.http.DirectHandlers;

/** Errors of HTTP itself, before any route is reached, in the same form as all others. */
final class PlainErrors {
  private PlainErrors() {}

  static DirectHandlers handlers() {
    DirectHandlers.Builder builder = DirectHandlers.builder();
    for (DirectHandler.EventType type : DirectHandler.EventType.values()) {
      builder.addHandler(type, PlainErrors::reply);
    }
    return builder.build();
  }

  private static DirectHandler.TransportResponse reply(
      DirectHandler.TransportRequest request,
      DirectHandler.EventType type,
      io.helidon.http.Status status,
      io.helidon.http.ServerResponseHeaders headers,
      String message) {
    ErrorCode code =
        switch (status.code()) {
          case 404 -> ErrorCode.NOT_FOUND;
          case 413 -> ErrorCode.TOO_LARGE;
          case 503 -> ErrorCode.NO_CAPACITY;
          default -> status.code() >= 500 ? ErrorCode.INTERNAL : ErrorCode.INVALID_REQUEST;
        };
    String text = code == ErrorCode.INTERNAL || message == null ? "the request failed" : message;
    return DirectHandler.TransportResponse.builder()
        .status(io.helidon.http.Status.create(code.status()))
        .headers(headers)
        .header(HeaderNames.CONTENT_TYPE, "application/json")
        .entity(
            Json.mapper()
                .writeValueAsBytes(ErrorReply.of(DsecException.of(code, text), "r-unread")))
        .build();
  }
}
