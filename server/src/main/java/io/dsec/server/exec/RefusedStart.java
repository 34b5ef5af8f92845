// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.exec;

import io.dsec.model.DsecException;
import io.dsec.model.Ending;
import io.dsec.model.ErrorCode;
import io.dsec.model.Reason;
import java.util.Optional;

/** A directory, program or user that does not exist is an error of the call, not a result. */
final class RefusedStart {
  private RefusedStart() {}

  /** Of a process that nobody waits for: whatever kept it from starting is the error. */
  static void checkAll(Ending ending) {
    check(ending);
    if (ending instanceof Ending.NotStarted(Reason reason, String message)) {
      boolean many = reason == Reason.TOO_MANY_EXECS;
      throw DsecException.of(many ? ErrorCode.RATE_LIMITED : ErrorCode.SANDBOX_FAILED, message);
    }
  }

  static void check(Ending ending) {
    if (ending instanceof Ending.NotStarted refused) {
      Optional<ErrorCode> code =
          switch (refused.reason()) {
            case BAD_CWD -> Optional.of(ErrorCode.BAD_CWD);
            case PROGRAM_NOT_FOUND -> Optional.of(ErrorCode.PROGRAM_NOT_FOUND);
            case NOT_EXECUTABLE -> Optional.of(ErrorCode.NOT_EXECUTABLE);
            case BAD_USER -> Optional.of(ErrorCode.BAD_USER);
            case SESSION_BUSY -> Optional.of(ErrorCode.CONFLICT);
            case SESSION_ENDED -> Optional.of(ErrorCode.GONE);
            case INVALID_COMMAND -> Optional.of(ErrorCode.INVALID_REQUEST);
            default -> Optional.empty();
          };
      if (code.isPresent()) {
        DsecException error = DsecException.of(code.get(), refused.message());
        throw refused.reason() == Reason.SESSION_BUSY
            ? error.withHint("a session runs one command at a time; wait, or interrupt it")
            : error;
      }
    }
  }
}
