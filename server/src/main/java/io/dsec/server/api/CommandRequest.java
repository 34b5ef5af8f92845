// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.Bytes;
import io.dsec.model.DsecException;
import io.dsec.model.FileSpec;
import io.dsec.model.MainCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What makes a create request a task. */
record CommandRequest(
    @Nullable List<@Nullable String> command,
    @Nullable String shell,
    @Nullable Boolean login,
    @Nullable String cwd,
    @Nullable String stdin,
    @Nullable String stdinBase64,
    @Nullable JsonNode timeout,
    @Nullable JsonNode maxOutput,
    @Nullable Map<String, JsonNode> files) {
  private static final Duration TIMEOUT = Duration.ofMinutes(5);

  MainCommand main(Optional<Duration> timeoutByDefault) {
    if (command == null && shell == null) {
      throw DsecException.invalid("command", "command is missing; a task runs one");
    }
    ExecRequest exec =
        new ExecRequest(
            command,
            shell,
            login,
            cwd,
            null,
            null,
            stdin,
            stdinBase64,
            null,
            null,
            timeout,
            maxOutput);
    var spec = exec.spec();
    if (spec.timeout().isEmpty()) {
      spec = spec.withTimeout(timeoutByDefault.orElse(TIMEOUT));
    }
    return new MainCommand(spec, fileSpecs());
  }

  private List<FileSpec> fileSpecs() {
    List<FileSpec> specs = new ArrayList<>();
    if (files != null) {
      files.forEach((path, content) -> specs.add(file(path, content)));
    }
    return specs;
  }

  private static FileSpec file(String path, JsonNode content) {
    String field = "files." + path;
    if (content.isString()) {
      return new FileSpec(path, Bytes.utf8(content.asString()), 0);
    }
    FileRequest file = Bodies.convert(content, FileRequest.class, field);
    if ((file.text == null) == (file.base64 == null)) {
      throw DsecException.invalid(field, field + " needs a text, or one of text and base64");
    }
    Bytes bytes =
        file.base64 == null
            ? Bytes.utf8(java.util.Objects.requireNonNull(file.text))
            : Base64Text.decode(field, file.base64);
    return new FileSpec(path, bytes, mode(field, file.mode));
  }

  private static int mode(String field, @Nullable String octal) {
    if (octal == null) {
      return 0;
    }
    if (!octal.matches("[0-7]{1,5}")) {
      throw DsecException.invalid(
          field + ".mode",
          "%s.mode is \"%s\"; write octal text such as 0755".formatted(field, octal));
    }
    return Integer.parseInt(octal, 8);
  }

  private record FileRequest(
      @Nullable String text, @Nullable String base64, @Nullable String mode) {}
}
