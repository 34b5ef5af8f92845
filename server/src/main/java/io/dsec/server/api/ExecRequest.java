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
    return command()
        .login(Boolean.TRUE.equals(login))
        .cwd(Optional.ofNullable(cwd))
        .env(Texts.pairs("env", env))
        .user(Optional.ofNullable(user))
        .stdin(input())
        .stdinOpen(Boolean.TRUE.equals(stdinOpen))
        .timeout(Amount.duration("timeout", timeout))
        .maxOutput(Amount.size("max_output", maxOutput).orElse(ExecSpec.DEFAULT_MAX_OUTPUT))
        .done();
  }

  private ExecSpec.Draft command() {
    return argv == null
        ? ExecSpec.text(Objects.requireNonNull(shell))
        : ExecSpec.program(argv.stream().map(Objects::requireNonNull).toList());
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
