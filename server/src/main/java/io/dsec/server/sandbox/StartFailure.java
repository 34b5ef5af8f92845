// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.sandbox;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import org.jspecify.annotations.Nullable;

/** The error of a start that failed, for whoever repeats the create. */
public record StartFailure(
    ErrorCode code, String message, @Nullable String field, @Nullable String hint) {

  static StartFailure of(DsecException error) {
    return new StartFailure(
        error.code(), error.message(), error.field().orElse(null), error.hint().orElse(null));
  }

  public DsecException exception() {
    DsecException error = DsecException.of(code, message);
    if (field != null) {
      error = error.withField(field);
    }
    return hint == null ? error : error.withHint(hint);
  }
}
