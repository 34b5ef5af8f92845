// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

import java.util.Locale;

/** Error codes of the API, each with its one HTTP status. */
public enum ErrorCode {
  INVALID_REQUEST(400),
  UNAUTHORIZED(401),
  FORBIDDEN(403),
  NOT_FOUND(404),
  CONFLICT(409),
  SANDBOX_FAILED(409),
  GONE(410),
  TOO_LARGE(413),
  RANGE_NOT_SATISFIABLE(416),
  TIER_UNAVAILABLE(422),
  IMAGE_NOT_FOUND(422),
  IMAGE_INVALID(422),
  IMAGE_UNTRUSTED(422),
  BAD_CWD(422),
  PROGRAM_NOT_FOUND(422),
  NOT_EXECUTABLE(422),
  BAD_USER(422),
  DISK_FULL(422),
  RATE_LIMITED(429),
  QUOTA_EXCEEDED(429),
  INTERNAL(500),
  NOT_SUPPORTED(501),
  /** A server inside a sandbox is not there, or does not answer as it should. */
  BAD_GATEWAY(502),
  NO_CAPACITY(503),
  TIMEOUT(504);

  private final int status;

  ErrorCode(int status) {
    this.status = status;
  }

  public int status() {
    return status;
  }

  /** The platform is to blame, unless a reason says otherwise. */
  public boolean isFault() {
    return switch (this) {
      case SANDBOX_FAILED, INTERNAL, NO_CAPACITY, TIMEOUT -> true;
      default -> false;
    };
  }

  /** Wire name, {@code snake_case}. */
  public String code() {
    return name().toLowerCase(Locale.ROOT);
  }
}
