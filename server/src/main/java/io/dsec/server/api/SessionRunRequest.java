// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.ExecSpec;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Body of {@code POST /sandboxes/{id}/sessions/{session}/run}. */
record SessionRunRequest(
    @Nullable String command, @Nullable JsonNode timeout, @Nullable JsonNode maxOutput) {
  /** It travels in one message to the guest. */
  private static final int MAX_COMMAND = 512 << 10;

  ExecSpec spec() {
    if (command == null) {
      throw DsecException.invalid("command", "command is missing");
    }
    int bytes = command.getBytes(StandardCharsets.UTF_8).length;
    if (bytes > MAX_COMMAND) {
      throw DsecException.of(
              ErrorCode.TOO_LARGE,
              "command is %d bytes; it must be at most %d".formatted(bytes, MAX_COMMAND))
          .withField("command")
          .withHint("write it to a file and source that");
    }
    Texts.noNul("command", command);
    return ExecSpec.forSession(
        command,
        Amount.duration("timeout", timeout),
        Amount.size("max_output", maxOutput).orElse(ExecSpec.DEFAULT_MAX_OUTPUT));
  }
}
