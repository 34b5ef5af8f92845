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
  private final @Nullable Reason reason;

  private DsecException(
      ErrorCode code,
      String message,
      @Nullable String field,
      @Nullable String hint,
      @Nullable Duration retryAfter,
      @Nullable Reason reason,
      @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
    this.field = field;
    this.hint = hint;
    this.retryAfter = retryAfter;
    this.reason = reason;
  }

  public static DsecException of(ErrorCode code, String message) {
    return new DsecException(code, message, null, null, null, null, null);
  }

  public static DsecException invalid(String field, String message) {
    return new DsecException(ErrorCode.INVALID_REQUEST, message, field, null, null, null, null);
  }

  public static DsecException notSupported(String field, String message) {
    return new DsecException(ErrorCode.NOT_SUPPORTED, message, field, null, null, null, null);
  }

  public static DsecException notFound(String what, String id) {
    return of(ErrorCode.NOT_FOUND, "no %s has the id %s".formatted(what, id));
  }

  public DsecException withHint(String newHint) {
    return new DsecException(code, message(), field, newHint, retryAfter, reason, getCause());
  }

  public DsecException withField(String newField) {
    return new DsecException(code, message(), newField, hint, retryAfter, reason, getCause());
  }

  public DsecException withRetryAfter(Duration after) {
    return new DsecException(code, message(), field, hint, after, reason, getCause());
  }

  /** Why a sandbox is not there for what was asked of it. */
  public DsecException withReason(Reason why) {
    return new DsecException(code, message(), field, hint, retryAfter, why, getCause());
  }

  public DsecException withCause(Throwable cause) {
    return new DsecException(code, message(), field, hint, retryAfter, reason, cause);
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

  public Optional<Reason> reason() {
    return Optional.ofNullable(reason);
  }

  /** The platform is to blame, neither the request nor what ran. */
  public boolean isFault() {
    return reason == null ? code.isFault() : reason.platform();
  }
}
