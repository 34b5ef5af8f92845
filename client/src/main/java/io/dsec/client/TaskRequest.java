// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.model.ExecSpec;
import io.dsec.model.FileSpec;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A sandbox with a main command that is run to its end.
 *
 * @param main its timeout is the task's; its user, directory and environment override the sandbox's
 */
public record TaskRequest(SandboxRequest sandbox, ExecSpec main, List<FileSpec> files) {
  public TaskRequest {
    files = List.copyOf(files);
  }

  ObjectNode toJson() {
    ObjectNode json = sandbox.toJson();
    if (main.shell()) {
      json.put("shell", main.argv().getFirst());
    } else {
      ArrayNode command = json.putArray("command");
      main.argv().forEach(command::add);
    }
    main.timeout().ifPresent(limit -> json.put("timeout", limit.toNanos() / 1e9));
    main.cwd().ifPresent(cwd -> json.put("workdir", cwd));
    main.user().ifPresent(user -> json.put("user", user));
    main.env().forEach((name, value) -> json.withObjectProperty("env").put(name, value));
    for (FileSpec file : files) {
      ObjectNode target = json.withObjectProperty("files");
      file.content()
          .text()
          .filter(_ -> file.mode() == 0)
          .ifPresentOrElse(
              text -> target.put(file.path(), text), () -> target.set(file.path(), exact(file)));
    }
    return json;
  }

  private static ObjectNode exact(FileSpec file) {
    ObjectNode json = Replies.mapper().createObjectNode();
    json.put("base64", file.content().base64());
    if (file.mode() != 0) {
      json.put("mode", Integer.toOctalString(file.mode()));
    }
    return json;
  }
}
