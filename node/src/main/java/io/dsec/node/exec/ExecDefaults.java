// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import com.google.protobuf.ByteString;
import io.dsec.model.ExecSpec;
import io.dsec.proto.guest.Start;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What an exec gets when it does not say otherwise.
 *
 * @param env the image's, then the sandbox's own with its secrets
 * @param workdir empty: the user's home
 */
public record ExecDefaults(Map<String, String> env, String user, String workdir) {
  /** What keeps programs from asking and paging where nobody would answer. */
  public static final Map<String, String> WITHOUT_TERMINAL =
      Map.of(
          "TERM", "dumb",
          "PAGER", "cat",
          "GIT_PAGER", "cat",
          "DEBIAN_FRONTEND", "noninteractive");

  public ExecDefaults {
    env = Map.copyOf(env);
  }

  /** The Start frame of {@code spec}, but for its windows. */
  Start.Builder start(long exec, ExecSpec spec) {
    Map<String, String> all = new LinkedHashMap<>(env);
    if (spec.terminal().isPresent()) {
      WITHOUT_TERMINAL.forEach(all::remove);
      all.putIfAbsent("TERM", "xterm-256color");
    }
    all.putAll(spec.env());
    Start.Builder start =
        Start.newBuilder()
            .setExec(exec)
            .setUser(spec.user().orElse(user))
            .setCwd(ByteString.copyFromUtf8(spec.cwd().orElse(workdir)))
            .setCreateCwd(spec.cwd().isEmpty() && !workdir.isEmpty())
            .setStdin(Stdin.given(spec))
            .setShell(spec.shell())
            .setLogin(spec.login());
    spec.argv().forEach(arg -> start.addArgv(ByteString.copyFromUtf8(arg)));
    all.forEach((name, value) -> start.addEnv(ByteString.copyFromUtf8(name + "=" + value)));
    spec.terminal().ifPresent(size -> start.setTerminal(Messages.size(size)));
    spec.session()
        .ifPresent(part -> start.setSessionShell(part.isShell()).setSession(part.shell()));
    spec.timeout().ifPresent(t -> start.setTimeoutMs(Math.max(1, t.toMillis())));
    return start;
  }
}
