// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.Bytes;
import io.dsec.model.DsecException;
import io.dsec.model.ExecSpec;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Body of {@code POST /sandboxes/{id}/exec} and {@code …/processes}. */
record ExecRequest(
    @Nullable List<@Nullable String> argv,
    @Nullable String shell,
    @Nullable Boolean login,
    @Nullable String cwd,
    @Nullable Map<String, String> env,
    @Nullable String user,
    @Nullable String stdin,
    @Nullable String stdinBase64,
    @Nullable Boolean stdinOpen,
    @Nullable Boolean resume,
    @Nullable JsonNode timeout,
    @Nullable JsonNode maxOutput) {

  /** Whether a paused sandbox is resumed for it. */
  boolean mayResume() {
    return resume == null || resume;
  }

  ExecSpec spec() {
    if ((argv == null) == (shell == null)) {
      throw DsecException.invalid(
          argv == null ? "argv" : "shell",
          argv == null
              ? "argv is missing; name a program, or give \"shell\": \"…\""
              : "argv and shell exclude each other");
    }
    if (argv != null && argv.stream().anyMatch(Objects::isNull)) {
      throw DsecException.invalid("argv", "argv has a null");
    }
    Texts.noNul("user", user);
    return new ExecSpec(
        command(),
        shell != null,
        Boolean.TRUE.equals(login),
        Optional.ofNullable(cwd),
        Texts.pairs("env", env),
        Optional.ofNullable(user),
        input(),
        Boolean.TRUE.equals(stdinOpen),
        Amount.duration("timeout", timeout),
        Amount.size("max_output", maxOutput).orElse(ExecSpec.DEFAULT_MAX_OUTPUT));
  }

  private List<String> command() {
    if (argv == null) {
      return List.of(Objects.requireNonNull(shell));
    }
    return argv.stream().map(Objects::requireNonNull).toList();
  }

  private Optional<Bytes> input() {
    if (stdin != null && stdinBase64 != null) {
      throw DsecException.invalid("stdin", "stdin and stdin_base64 exclude each other");
    }
    if (stdin != null) {
      return Optional.of(Bytes.utf8(stdin));
    }
    return Optional.ofNullable(stdinBase64).map(text -> Base64Text.decode("stdin_base64", text));
  }
}
