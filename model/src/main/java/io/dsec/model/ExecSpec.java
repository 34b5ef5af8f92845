// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One command to run in a sandbox.
 *
 * @param argv the program and its arguments; with {@code shell} one text
 * @param shell run {@code argv[0]} as text by the sandbox's shell
 * @param login with {@code shell}: a login shell
 * @param cwd absolute; empty means the sandbox's working directory
 * @param env added over the image's and the sandbox's environment
 * @param user name or number, with an optional group; empty means the sandbox's user
 * @param stdin what the program reads; empty means end-of-file at once
 * @param stdinOpen more input may follow; else end-of-file comes after {@code stdin}
 * @param timeout from the program's start; empty means none beside the sandbox's end
 * @param maxOutput bytes kept per stream, half at the head and half at the tail
 * @param terminal run on a terminal; with {@code shell} and an empty text: a login shell
 * @param session empty: nothing of a shell session
 */
public record ExecSpec(
    List<String> argv,
    boolean shell,
    boolean login,
    Optional<String> cwd,
    Map<String, String> env,
    Optional<String> user,
    Optional<Bytes> stdin,
    boolean stdinOpen,
    Optional<Duration> timeout,
    long maxOutput,
    Optional<TerminalSize> terminal,
    Optional<SessionPart> session) {
  public static final long DEFAULT_MAX_OUTPUT = 10L << 20;

  /** Kept output is handed over in one piece. */
  public static final long MAX_OUTPUT = 64L << 20;

  private static final int MAX_ARGUMENT = 128 << 10;
  private static final int MAX_ARGUMENTS = 2 << 20;

  public ExecSpec {
    argv = List.copyOf(argv);
    env = Map.copyOf(env);
    Objects.requireNonNull(user);
    if (argv.isEmpty() || (argv.getFirst().isEmpty() && !shell)) {
      throw DsecException.invalid("argv", "argv is empty; name a program");
    }
    if (login && !shell && session.isEmpty()) {
      throw DsecException.invalid("login", "login needs \"shell\" instead of argv");
    }
    long total = 0;
    for (String arg : argv) {
      Check.noNul("argv", arg);
      int bytes = arg.getBytes(StandardCharsets.UTF_8).length;
      if (bytes >= MAX_ARGUMENT && session.isEmpty()) {
        throw DsecException.invalid(
            "argv",
            "argv has an argument of %d bytes; the kernel takes less than %d. Send it as stdin or a file"
                .formatted(bytes, MAX_ARGUMENT));
      }
      total += bytes + 9;
    }
    for (Map.Entry<String, String> e : env.entrySet()) {
      Env.check("env", e.getKey(), e.getValue());
      total += e.getKey().length() + e.getValue().getBytes(StandardCharsets.UTF_8).length + 10;
    }
    if (total > MAX_ARGUMENTS) {
      throw DsecException.invalid(
          "argv",
          "argv and env together are %d bytes; the kernel takes about %d"
              .formatted(total, MAX_ARGUMENTS));
    }
    cwd.ifPresent(
        dir -> {
          Check.noNul("cwd", dir);
          if (!dir.startsWith("/")) {
            throw DsecException.of(
                    ErrorCode.BAD_CWD, "cwd is \"%s\"; it must be an absolute path".formatted(dir))
                .withField("cwd");
          }
        });
    timeout.ifPresent(
        t -> {
          if (t.isNegative() || t.isZero()) {
            throw DsecException.invalid("timeout", "timeout must be longer than 0");
          }
        });
    Check.between("max_output", maxOutput, 0, MAX_OUTPUT);
  }

  /** One that is on no terminal and of no session. */
  public ExecSpec(
      List<String> argv,
      boolean shell,
      boolean login,
      Optional<String> cwd,
      Map<String, String> env,
      Optional<String> user,
      Optional<Bytes> stdin,
      boolean stdinOpen,
      Optional<Duration> timeout,
      long maxOutput) {
    this(
        argv,
        shell,
        login,
        cwd,
        env,
        user,
        stdin,
        stdinOpen,
        timeout,
        maxOutput,
        Optional.empty(),
        Optional.empty());
  }

  public static ExecSpec of(List<String> argv) {
    return new ExecSpec(
        argv,
        false,
        false,
        Optional.empty(),
        Map.of(),
        Optional.empty(),
        Optional.empty(),
        false,
        Optional.empty(),
        DEFAULT_MAX_OUTPUT);
  }

  /** What is worth keeping once the command has its input. */
  public ExecSpec withoutStdin() {
    return with(draft -> draft.stdin = Optional.empty());
  }

  public ExecSpec withEnv(String name, String value) {
    Map<String, String> all = new LinkedHashMap<>(env);
    all.put(name, value);
    return with(draft -> draft.env = all);
  }

  public ExecSpec onTerminal(TerminalSize size) {
    return with(
        draft -> {
          draft.terminal = Optional.of(size);
          draft.stdinOpen = true;
        });
  }

  /** A text for the shell of a session, which {@link #inSession} names. */
  public static ExecSpec forSession(String command, Optional<Duration> timeout, long maxOutput) {
    return new ExecSpec(
        List.of(command),
        true,
        false,
        Optional.empty(),
        Map.of(),
        Optional.empty(),
        Optional.empty(),
        false,
        timeout,
        maxOutput,
        Optional.empty(),
        Optional.of(SessionPart.SHELL));
  }

  public ExecSpec inSession(SessionPart part) {
    return with(draft -> draft.session = Optional.of(part));
  }

  public ExecSpec withTimeout(Duration limit) {
    return with(draft -> draft.timeout = Optional.of(limit));
  }

  private ExecSpec with(Consumer<Draft> change) {
    Draft draft = new Draft(this);
    change.accept(draft);
    return draft.done();
  }

  /** One in the making. */
  private static final class Draft {
    private final List<String> argv;
    private final boolean shell;
    private final boolean login;
    private final Optional<String> cwd;
    private Map<String, String> env;
    private final Optional<String> user;
    private Optional<Bytes> stdin;
    private boolean stdinOpen;
    private Optional<Duration> timeout;
    private final long maxOutput;
    private Optional<TerminalSize> terminal;
    private Optional<SessionPart> session;

    Draft(ExecSpec from) {
      argv = from.argv;
      shell = from.shell;
      login = from.login;
      cwd = from.cwd;
      env = from.env;
      user = from.user;
      stdin = from.stdin;
      stdinOpen = from.stdinOpen;
      timeout = from.timeout;
      maxOutput = from.maxOutput;
      terminal = from.terminal;
      session = from.session;
    }

    ExecSpec done() {
      return new ExecSpec(
          argv, shell, login, cwd, env, user, stdin, stdinOpen, timeout, maxOutput, terminal,
          session);
    }
  }
}
