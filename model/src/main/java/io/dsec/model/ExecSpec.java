// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

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

  public static ExecSpec of(List<String> argv) {
    return program(argv).done();
  }

  /** A program; what is not said besides is as usual. */
  public static Draft program(List<String> argv) {
    return new Draft(argv, false);
  }

  /** A text for the sandbox's shell, likewise. */
  public static Draft text(String command) {
    return new Draft(List.of(command), true);
  }

  /** A text for the shell of a session, which {@link #inSession} names. */
  public static ExecSpec forSession(String command, Optional<Duration> timeout, long maxOutput) {
    return text(command).timeout(timeout).maxOutput(maxOutput).session(SessionPart.SHELL).done();
  }

  /** Another one like it. */
  public Draft draft() {
    return new Draft(this);
  }

  /** What is worth keeping once the command has its input. */
  public ExecSpec withoutStdin() {
    return draft().stdin(Optional.empty()).done();
  }

  public ExecSpec withEnv(String name, String value) {
    Map<String, String> all = new LinkedHashMap<>(env);
    all.put(name, value);
    return draft().env(all).done();
  }

  public ExecSpec onTerminal(TerminalSize size) {
    return draft().terminal(size).done();
  }

  public ExecSpec inSession(SessionPart part) {
    return draft().session(part).done();
  }

  public ExecSpec withTimeout(Duration limit) {
    return draft().timeout(Optional.of(limit)).done();
  }

  /** One in the making; checked when it is done. */
  public static final class Draft {
    private final List<String> argv;
    private final boolean shell;
    private boolean login;
    private Optional<String> cwd = Optional.empty();
    private Map<String, String> env = Map.of();
    private Optional<String> user = Optional.empty();
    private Optional<Bytes> stdin = Optional.empty();
    private boolean stdinOpen;
    private Optional<Duration> timeout = Optional.empty();
    private long maxOutput = DEFAULT_MAX_OUTPUT;
    private Optional<TerminalSize> terminal = Optional.empty();
    private Optional<SessionPart> session = Optional.empty();

    private Draft(List<String> argv, boolean shell) {
      this.argv = argv;
      this.shell = shell;
    }

    private Draft(ExecSpec from) {
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

    public Draft login(boolean value) {
      login = value;
      return this;
    }

    public Draft cwd(Optional<String> value) {
      cwd = value;
      return this;
    }

    public Draft env(Map<String, String> value) {
      env = value;
      return this;
    }

    public Draft user(Optional<String> value) {
      user = value;
      return this;
    }

    public Draft stdin(Optional<Bytes> value) {
      stdin = value;
      return this;
    }

    public Draft stdinOpen(boolean value) {
      stdinOpen = value;
      return this;
    }

    public Draft timeout(Optional<Duration> value) {
      timeout = value;
      return this;
    }

    public Draft maxOutput(long value) {
      maxOutput = value;
      return this;
    }

    /** Its keys come later. */
    public Draft terminal(TerminalSize size) {
      terminal = Optional.of(size);
      stdinOpen = true;
      return this;
    }

    public Draft session(SessionPart part) {
      session = Optional.of(part);
      return this;
    }

    public ExecSpec done() {
      return new ExecSpec(
          argv, shell, login, cwd, env, user, stdin, stdinOpen, timeout, maxOutput, terminal,
          session);
    }
  }
}
