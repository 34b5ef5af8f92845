// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.term.Table;
import io.dsec.client.Sandboxes;
import io.dsec.client.Sessions;
import io.dsec.client.ShellSession;
import io.dsec.model.ExecResult;
import io.dsec.model.SandboxId;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code dsec session …} */
final class SessionCommands {
  private SessionCommands() {}

  @Command(name = "session", description = "Shells of a sandbox that keep their state.")
  static final class Root extends Group {}

  @Command(name = "create", description = "Open a session and print its id.")
  static final class Create extends OfSandbox {
    @Mixin private final PlaceOptions place = new PlaceOptions();

    @Option(names = "--shell", paramLabel = "SHELL", description = "Such as /bin/sh.")
    private Optional<String> shell = Optional.empty();

    Create(Surroundings around) {
      super(around);
    }

    @Override
    int run(Sandboxes sandboxes, SandboxId id) {
      Sessions sessions = sandboxes.sessions(id);
      Map<String, Object> fields = new LinkedHashMap<>();
      shell.ifPresent(s -> fields.put("shell", s));
      place.workdir.ifPresent(dir -> fields.put("cwd", dir));
      place.user.ifPresent(user -> fields.put("user", user));
      if (!place.env.isEmpty()) {
        fields.put("env", place.env);
      }
      out().println(sessions.create(fields).id());
      return Exit.FINE;
    }
  }

  @Command(
      name = "run",
      description = "Run a text in a session; output and exit code are the command's.")
  static final class Run extends OfSandbox implements RunsProgram {
    @Parameters(index = "1", paramLabel = "SESSION", description = "For example s-3.")
    private String session = "";

    @Parameters(
        index = "2..*",
        arity = "1..*",
        paramLabel = "TEXT",
        description = "Best behind --.")
    private List<String> text = List.of();

    @Option(
        names = "--timeout",
        paramLabel = "TIME",
        converter = Quantities.Length.class,
        description = "Kill what runs after this time, such as 30s.")
    private Optional<Duration> timeout = Optional.empty();

    Run(Surroundings around) {
      super(around);
    }

    @Override
    int run(Sandboxes sandboxes, SandboxId id) {
      Sessions sessions = sandboxes.sessions(id);
      RawOutput output = new RawOutput(around.terminal().out(), around.terminal().err(), _ -> {});
      ExecResult result = sessions.run(session, String.join(" ", text), timeout, output);
      return Exit.of(result.ending());
    }
  }

  @Command(name = "ls", description = "List the sessions of a sandbox, newest first.")
  static final class Ls extends OfSandbox {
    @Mixin private final Output output = new Output();

    Ls(Surroundings around) {
      super(around);
    }

    @Override
    int run(Sandboxes sandboxes, SandboxId id) {
      Sessions sessions = sandboxes.sessions(id);
      List<ShellSession> all = sessions.list();
      if (output.json()) {
        Output.print(around.terminal(), all);
        return Exit.FINE;
      }
      Table table = new Table(around.terminal().outStyle(), "SESSION", "STATE", "RUNS");
      for (ShellSession s : all) {
        table.row(s.id(), s.state(), s.run() == null ? "-" : s.run().path("command").asString("-"));
      }
      table.lines().forEach(out()::println);
      return Exit.FINE;
    }
  }

  @Command(name = "rm", description = "End sessions, with what runs in them.")
  static final class Rm extends OfSandbox {
    @Parameters(
        index = "1..*",
        arity = "1..*",
        paramLabel = "SESSION",
        description = "Such as s-3.")
    private List<String> ids = List.of();

    Rm(Surroundings around) {
      super(around);
    }

    @Override
    int run(Sandboxes sandboxes, SandboxId id) {
      Sessions sessions = sandboxes.sessions(id);
      ids.forEach(sessions::remove);
      return Exit.FINE;
    }
  }
}
