// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.term.Terminal;
import io.dsec.link.Json;
import java.io.PrintStream;
import picocli.CommandLine.Option;
import tools.jackson.databind.SerializationFeature;

/** In which form a command writes its answer. */
final class Output {
  enum Form {
    TEXT,
    JSON
  }

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORM",
      description = "text (default) or json.")
  private Form form = Form.TEXT;

  boolean json() {
    return form == Form.JSON;
  }

  static void print(Terminal terminal, Object value) {
    try (PrintStream out = terminal.print()) {
      out.println(
          Json.mapper()
              .writer()
              .with(SerializationFeature.INDENT_OUTPUT)
              .writeValueAsString(value));
    }
  }
}
