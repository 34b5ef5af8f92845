// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.sandbox;

import io.dsec.model.DsecException;
import io.dsec.model.Reason;

/** Errors of a start as reasons of a sandbox's end. */
final class Failures {
  private Failures() {}

  static Reason reason(DsecException error) {
    return switch (error.code()) {
      case IMAGE_NOT_FOUND, IMAGE_INVALID, IMAGE_UNTRUSTED -> Reason.IMAGE_NOT_FOUND;
      case TIER_UNAVAILABLE -> Reason.TIER_UNAVAILABLE;
      case NO_CAPACITY -> Reason.NO_CAPACITY;
      case BAD_CWD -> Reason.BAD_CWD;
      case BAD_USER -> Reason.BAD_USER;
      case PROGRAM_NOT_FOUND -> Reason.PROGRAM_NOT_FOUND;
      case NOT_EXECUTABLE -> Reason.NOT_EXECUTABLE;
      case INVALID_REQUEST, NOT_SUPPORTED -> Reason.INVALID_COMMAND;
      default -> Reason.SETUP_FAILED;
    };
  }
}
