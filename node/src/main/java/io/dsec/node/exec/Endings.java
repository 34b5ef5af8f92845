// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.model.Ending;
import io.dsec.model.Reason;
import io.dsec.proto.guest.Ended;

/** Turns the guest's word on how an exec ended into the model's. The guest may say anything. */
final class Endings {
  private static final int MAX_SIGNAL = 64;
  private static final int MAX_MESSAGE = 4096;

  private Endings() {}

  /** {@code killed}: why the node asked for a kill, if it did. */
  static Ending of(Ended ended, Reason killed) {
    return switch (ended.getKind()) {
      case EXITED, UNRECOGNIZED -> new Ending.Exited(ended.getCode() & 0xff);
      case SIGNALED -> new Ending.Signaled(Math.clamp(ended.getSignal(), 1, MAX_SIGNAL));
      case TIMEOUT -> new Ending.Timeout();
      case OOM -> new Ending.Oom();
      case KILLED -> new Ending.Killed(killed);
      case NOT_STARTED -> new Ending.NotStarted(reason(ended.getFailure()), message(ended));
    };
  }

  private static Reason reason(Ended.Failure failure) {
    return switch (failure) {
      case BAD_CWD -> Reason.BAD_CWD;
      case PROGRAM_NOT_FOUND -> Reason.PROGRAM_NOT_FOUND;
      case NOT_EXECUTABLE -> Reason.NOT_EXECUTABLE;
      case BAD_USER -> Reason.BAD_USER;
      case TOO_MANY -> Reason.TOO_MANY_EXECS;
      case INVALID -> Reason.INVALID_COMMAND;
      case SESSION_BUSY -> Reason.SESSION_BUSY;
      case SESSION_ENDED -> Reason.SESSION_ENDED;
      case NONE, NO_RESOURCES, APPLET, UNRECOGNIZED -> Reason.EXEC_RESOURCES;
    };
  }

  private static String message(Ended ended) {
    String message = ended.getMessage();
    return message.length() <= MAX_MESSAGE ? message : message.substring(0, MAX_MESSAGE);
  }
}
