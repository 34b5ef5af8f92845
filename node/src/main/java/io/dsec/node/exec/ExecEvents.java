// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.model.Bytes;
import io.dsec.model.Ending;
import io.dsec.model.ExecSpec;
import io.dsec.model.Limit;
import io.dsec.model.Reason;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The trajectory events of an exec. */
final class ExecEvents {
  private ExecEvents() {}

  static Map<String, ?> start(String id, ExecSpec spec) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("exec", id);
    if (spec.shell()) {
      data.put("shell", spec.argv().getFirst());
      data.put("login", spec.login());
    } else {
      data.put("argv", spec.argv());
    }
    spec.session()
        .ifPresent(
            part -> data.put("session", "s-" + (part.isShell() ? number(id) : part.shell())));
    spec.terminal()
        .ifPresent(size -> data.put("terminal", Map.of("cols", size.cols(), "rows", size.rows())));
    spec.cwd().ifPresent(cwd -> data.put("cwd", cwd));
    spec.user().ifPresent(user -> data.put("user", user));
    if (!spec.env().isEmpty()) {
      data.put("env", spec.env());
    }
    spec.stdin().map(Bytes::length).ifPresent(n -> data.put("stdin_bytes", n));
    spec.timeout().ifPresent(t -> data.put("timeout_seconds", t.toNanos() / 1e9));
    return data;
  }

  private static String number(String id) {
    return id.substring(id.indexOf('-') + 1);
  }

  static Map<String, ?> end(
      String id, Ending ending, Set<Limit> limits, long stdout, long stderr, Duration duration) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("exec", id);
    data.put("ending", ending(ending, limits));
    data.put("stdout_bytes", stdout);
    data.put("stderr_bytes", stderr);
    data.put("duration_seconds", duration.toNanos() / 1e9);
    return data;
  }

  private static Map<String, ?> ending(Ending ending, Set<Limit> limits) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("kind", ending.kind());
    switch (ending) {
      case Ending.Exited(int code) -> data.put("code", code);
      case Ending.Signaled(int signal) -> data.put("signal", signal);
      case Ending.Killed(Reason reason) -> data.put("reason", lower(reason));
      case Ending.Lost(Reason reason) -> data.put("reason", lower(reason));
      case Ending.NotStarted(Reason reason, String message) -> {
        data.put("reason", lower(reason));
        data.put("message", message);
      }
      case Ending.Timeout _, Ending.Oom _ -> {}
    }
    data.put("is_fault", ending.isFault());
    data.put("limits_hit", limits.stream().sorted().map(ExecEvents::lower).toList());
    return data;
  }

  private static String lower(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
