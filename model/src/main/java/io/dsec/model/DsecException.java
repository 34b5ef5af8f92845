// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The one error that crosses DSec's boundaries: code, what was tried on what, and what to do. */
public final class DsecException extends RuntimeException {
  private final ErrorCode code;
  private final @Nullable String field;
  private final @Nullable String hint;
  private final @Nullable Duration retryAfter;

  private DsecException(
      ErrorCode code,
      String message,
      @Nullable String field,
      @Nullable String hint,
      @Nullable Duration retryAfter,
      @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
    this.field = field;
    this.hint = hint;
    this.retryAfter = retryAfter;
  }

  public static DsecException of(ErrorCode code, String message) {
    return new DsecException(code, message, null, null, null, null);
  }

  public static DsecException invalid(String field, String message) {
    return new DsecException(ErrorCode.INVALID_REQUEST, message, field, null, null, null);
  }

  public static DsecException notSupported(String field, String message) {
    return new DsecException(ErrorCode.NOT_SUPPORTED, message, field, null, null, null);
  }

  public static DsecException notFound(String what, String id) {
    return of(ErrorCode.NOT_FOUND, "no %s has the id %s".formatted(what, id));
  }

  public DsecException withHint(String newHint) {
    return new DsecException(code, message(), field, newHint, retryAfter, getCause());
  }

  public DsecException withField(String newField) {
    return new DsecException(code, message(), newField, hint, retryAfter, getCause());
  }

  public DsecException withRetryAfter(Duration after) {
    return new DsecException(code, message(), field, hint, after, getCause());
  }

  public DsecException withCause(Throwable cause) {
    return new DsecException(code, message(), field, hint, retryAfter, cause);
  }

  public ErrorCode code() {
    return code;
  }

  public String message() {
    String message = getMessage();
    return message == null ? code.code() : message;
  }

  public Optional<String> field() {
    return Optional.ofNullable(field);
  }

  public Optional<String> hint() {
    return Optional.ofNullable(hint);
  }

  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }
}
