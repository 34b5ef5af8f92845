// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.SandboxSpec;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Body of {@code POST /tasks}: the fields of a create, and those of its command. */
record TaskRequest(CreateRequest sandbox, CommandRequest command) {
  static final List<String> OF_THE_COMMAND =
      List.of(
          "command",
          "shell",
          "login",
          "cwd",
          "stdin",
          "stdin_base64",
          "timeout",
          "max_output",
          "files");

  static TaskRequest read(JsonNode body) {
    ObjectNode sandbox = ((ObjectNode) body).deepCopy();
    ObjectNode command = sandbox.objectNode();
    for (String field : OF_THE_COMMAND) {
      JsonNode value = sandbox.remove(field);
      if (value != null) {
        command.set(field, value);
      }
    }
    return new TaskRequest(
        Bodies.convert(sandbox, CreateRequest.class, ""),
        Bodies.convert(command, CommandRequest.class, ""));
  }

  SandboxSpec spec() {
    return sandbox.spec(Optional.of(command.main(sandbox.taskTimeout())));
  }
}
