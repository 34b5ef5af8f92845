// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.model.Ending;
import io.dsec.model.ErrorCode;
import io.dsec.model.Reason;

/** Exit codes of the command. */
public final class Exit {
  public static final int FINE = 0;
  public static final int FAILED = 1;
  public static final int USAGE = 2;
  public static final int NO_SERVER = 3;

  /** Of {@code run} and {@code exec}, beside the program's own. */
  public static final int TIMEOUT = 124;

  public static final int OWN_FAILURE = 125;
  public static final int NOT_EXECUTABLE = 126;
  public static final int NOT_FOUND = 127;
  private static final int SIGNAL = 128;
  private static final int SIGKILL = 9;

  private Exit() {}

  /** What {@code run} and {@code exec} return for a program's ending. */
  public static int of(Ending ending) {
    return switch (ending) {
      case Ending.Exited(int code) -> code;
      case Ending.Signaled(int signal) -> SIGNAL + signal;
      case Ending.Timeout _ -> TIMEOUT;
      case Ending.Oom _ -> SIGNAL + SIGKILL;
      case Ending.Killed killed -> killed.isFault() ? OWN_FAILURE : SIGNAL + SIGKILL;
      case Ending.Lost _ -> OWN_FAILURE;
      case Ending.NotStarted(Reason reason, String _) ->
          switch (reason) {
            case PROGRAM_NOT_FOUND -> NOT_FOUND;
            case NOT_EXECUTABLE -> NOT_EXECUTABLE;
            default -> OWN_FAILURE;
          };
    };
  }

  /** What {@code run} and {@code exec} return when the API refused the program. */
  public static int ofProgram(ErrorCode code) {
    return switch (code) {
      case PROGRAM_NOT_FOUND -> NOT_FOUND;
      case NOT_EXECUTABLE -> NOT_EXECUTABLE;
      default -> OWN_FAILURE;
    };
  }
}
