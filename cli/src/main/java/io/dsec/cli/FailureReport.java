// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.batch.BatchFileException;
import io.dsec.cli.term.Style;
import io.dsec.client.LostConnectionException;
import io.dsec.client.NoServerException;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import java.io.PrintStream;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/** Says in a line or two why a command failed, and chooses its exit code. */
final class FailureReport implements IExecutionExceptionHandler {
  private final Surroundings around;

  FailureReport(Surroundings around) {
    this.around = around;
  }

  @Override
  public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
    if (around.onExit().interrupted()) {
      return Exit.FAILED;
    }
    boolean debug =
        parsed.asCommandLineList().getFirst().getCommand() instanceof Dsec d && d.debug();
    try (PrintStream err = around.terminal().complain()) {
      print(e, err, around.terminal().errStyle());
      if (debug) {
        e.printStackTrace(err);
      }
    }
    return code(e, command.getCommand() instanceof RunsProgram);
  }

  private static void print(Exception e, PrintStream err, Style style) {
    String message = e.getMessage() == null ? e.toString() : e.getMessage();
    err.println(style.red("dsec: ") + message);
    if (e instanceof DsecException d) {
      d.hint().ifPresent(hint -> err.println("  hint: " + hint));
      d.retryAfter().ifPresent(after -> err.println("  try again in " + after.toSeconds() + " s"));
      if (d.code() == ErrorCode.UNAUTHORIZED && d.hint().isEmpty()) {
        err.println(
            "  hint: give --key or DSEC_API_KEY, or use the machine's user that ran `dsec up`");
      }
    } else if (e instanceof NoServerException) {
      err.println("  hint: start one with `dsec up`, or name one with --url or DSEC_URL");
    } else if (!expected(e)) {
      err.println("  (" + e.getClass().getSimpleName() + "; --debug shows where)");
    }
  }

  private static boolean expected(Exception e) {
    return e instanceof LostConnectionException
        || e instanceof BatchFileException
        || e instanceof IllegalArgumentException
        || e instanceof java.io.UncheckedIOException;
  }

  private static int code(Exception e, boolean runsProgram) {
    if (e instanceof BatchFileException) {
      return Exit.USAGE;
    }
    if (runsProgram) {
      return e instanceof DsecException d ? Exit.ofProgram(d.code()) : Exit.OWN_FAILURE;
    }
    if (e instanceof NoServerException) {
      return Exit.NO_SERVER;
    }
    return e instanceof DsecException d && d.code() == ErrorCode.INVALID_REQUEST
        ? Exit.USAGE
        : Exit.FAILED;
  }
}
