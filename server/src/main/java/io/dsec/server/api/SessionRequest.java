// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.DsecException;
import io.dsec.model.ExecSpec;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Body of {@code POST /sandboxes/{id}/sessions}.
 *
 * @param shell {@code bash}, {@code sh}, or the path of one; absent: bash, else sh
 * @param login it reads what a login shell reads
 */
record SessionRequest(
    @Nullable String shell,
    @Nullable Boolean login,
    @Nullable String cwd,
    @Nullable Map<String, String> env,
    @Nullable String user) {
  ExecSpec spec() {
    if (shell != null && shell.isEmpty()) {
      throw DsecException.invalid("shell", "shell is empty; leave it out for the default");
    }
    Texts.noNul("shell", shell);
    Texts.noNul("user", user);
    return ExecSpec.text(shell == null ? "" : shell)
        .login(Boolean.TRUE.equals(login))
        .cwd(Optional.ofNullable(cwd))
        .env(Texts.pairs("env", env))
        .user(Optional.ofNullable(user))
        .done();
  }
}
