// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Says what was wrong with the words of a command: two lines, not the whole help. */
final class UsageReport implements IParameterExceptionHandler {
  @Override
  public int handleParseException(ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    PrintWriter err = command.getErr();
    err.println("dsec: " + e.getMessage());
    UnmatchedArgumentException.printSuggestions(e, err);
    err.println("  see: " + command.getCommandSpec().qualifiedName() + " --help");
    return Exit.USAGE;
  }
}
