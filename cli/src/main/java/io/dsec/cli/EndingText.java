// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.link.Json;
import io.dsec.model.Ending;
import io.dsec.model.Reason;

/** Endings in words. */
public final class EndingText {
  private static final String[] SIGNALS = {
    "0", "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE", "KILL", "USR1", "SEGV", "USR2",
    "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "XCPU",
    "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR", "SYS"
  };

  private EndingText() {}

  /** {@code exited 0}, {@code signaled 9 (KILL)}, {@code not_started program_not_found}, …. */
  public static String of(Ending ending) {
    return switch (ending) {
      case Ending.Exited(int code) -> "exited " + code;
      case Ending.Signaled(int signal) -> "signaled " + signal + " (" + signal(signal) + ")";
      case Ending.Timeout _, Ending.Oom _ -> ending.kind();
      case Ending.Killed(Reason reason) -> "killed " + Json.lower(reason);
      case Ending.Lost(Reason reason) -> "lost " + Json.lower(reason);
      case Ending.NotStarted(Reason reason, String _) -> "not_started " + Json.lower(reason);
    };
  }

  static String signal(int number) {
    return number > 0 && number < SIGNALS.length ? SIGNALS[number] : "signal";
  }
}
