// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.batch.BatchCommands;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** The entry of the {@code dsec} command. */
public final class Main {
  private static final String COMPLETION = "completion";
  private static final List<String> LATER =
      List.of(
          "image", "replay", "snapshot", "dataset", "volume", "group", "tenant", "queue", "top");

  private Main() {}

  public static void main(String[] args) {
    Surroundings around = Surroundings.ofProcess();
    int code = commands(around, args).execute(args);
    System.exit(code);
  }

  /**
   * The root with the command that {@code args} call, or with all. To build all takes longer than
   * most of them run.
   */
  static CommandLine commands(Surroundings around, String... args) {
    Map<String, Supplier<Object>> all = all(around);
    CommandLine root = new CommandLine(new Dsec());
    Supplier<Object> called = args.length == 0 ? null : all.get(args[0]);
    if (called == null || args[0].equals(COMPLETION)) {
      all.forEach((name, command) -> root.addSubcommand(name, command.get()));
    } else {
      root.addSubcommand(args[0], called.get());
    }
    return settled(root, around);
  }

  /** All commands, wired by hand. */
  private static Map<String, Supplier<Object>> all(Surroundings around) {
    Map<String, Supplier<Object>> all = new LinkedHashMap<>();
    all.put("up", () -> new UpCommand(around));
    all.put("run", () -> new RunCommand(around));
    all.put("exec", () -> new ExecCommand(around));
    all.put("cp", () -> new CopyCommand(around));
    all.put("port-forward", () -> new PortForwardCommand(around));
    all.put("sandbox", () -> sandbox(around));
    all.put("session", () -> session(around));
    all.put("process", () -> process(around));
    all.put("batch", () -> batch(around));
    all.put("trajectory", () -> trajectory(around));
    all.put("key", () -> key(around));
    all.put("node", () -> node(around));
    all.put("doctor", () -> new DoctorCommand(around));
    all.put(COMPLETION, () -> new CompletionCommand(around));
    all.put("server", () -> NotYet.of("server", "`dsec up` runs server and node in one process"));
    for (String later : LATER) {
      all.put(later, () -> NotYet.of(later, ""));
    }
    return all;
  }

  private static CommandLine sandbox(Surroundings around) {
    return new CommandLine(new SandboxCommands.Root())
        .addSubcommand(new SandboxCommands.Create(around))
        .addSubcommand(new SandboxCommands.Ls(around))
        .addSubcommand(new SandboxCommands.Show(around))
        .addSubcommand(new SandboxCommands.Rm(around))
        .addSubcommand(new SandboxCommands.Renew(around))
        .addSubcommand(new PauseCommands.Pause(around))
        .addSubcommand(new PauseCommands.Resume(around))
        .addSubcommand(new ForkCommand(around));
  }

  private static CommandLine session(Surroundings around) {
    return new CommandLine(new SessionCommands.Root())
        .addSubcommand(new SessionCommands.Create(around))
        .addSubcommand(new SessionCommands.Run(around))
        .addSubcommand(new SessionCommands.Ls(around))
        .addSubcommand(new SessionCommands.Rm(around));
  }

  private static CommandLine process(Surroundings around) {
    return new CommandLine(new ProcessCommands.Root())
        .addSubcommand(new ProcessCommands.Ls(around))
        .addSubcommand(new ProcessCommands.Logs(around))
        .addSubcommand(new ProcessCommands.SendSignal(around))
        .addSubcommand(new ProcessCommands.Rm(around));
  }

  private static CommandLine batch(Surroundings around) {
    return new CommandLine(new BatchCommands.Root())
        .addSubcommand(new BatchCommands.Run(around))
        .addSubcommand(new BatchLookups.Ls(around))
        .addSubcommand(new BatchLookups.Show(around))
        .addSubcommand(new BatchLookups.Results(around))
        .addSubcommand(new BatchLookups.Cancel(around))
        .addSubcommand(new BatchCommands.FromHumanEval(around));
  }

  private static CommandLine trajectory(Surroundings around) {
    return new CommandLine(new TrajectoryCommands.Root())
        .addSubcommand(new TrajectoryCommands.Show(around))
        .addSubcommand(new TrajectoryCommands.Export(around))
        .addSubcommand(new TrajectoryCommands.Verify(around));
  }

  private static CommandLine key(Surroundings around) {
    return new CommandLine(new KeyCommands.Root())
        .addSubcommand(new KeyCommands.Create(around))
        .addSubcommand(new KeyCommands.Ls(around))
        .addSubcommand(new KeyCommands.Rm(around));
  }

  private static CommandLine node(Surroundings around) {
    return new CommandLine(new NodeCommands.Root())
        .addSubcommand(new NodeCommands.Ls(around))
        .addSubcommand("drain", NotYet.of("node drain", ""))
        .addSubcommand("show", NotYet.of("node show", ""));
  }

  private static CommandLine settled(CommandLine root, Surroundings around) {
    var terminal = around.terminal();
    root.setOut(new PrintWriter(terminal.print(), true, StandardCharsets.UTF_8));
    root.setErr(new PrintWriter(terminal.complain(), true, StandardCharsets.UTF_8));
    root.setColorScheme(
        CommandLine.Help.defaultColorScheme(terminal.outStyle().coloured() ? Ansi.ON : Ansi.OFF));
    root.setCaseInsensitiveEnumValuesAllowed(true);
    root.setAbbreviatedOptionsAllowed(false);
    root.setUsageHelpAutoWidth(false);
    root.setUsageHelpWidth(Math.min(100, Math.max(80, terminal.width())));
    root.setExecutionExceptionHandler(new FailureReport(around));
    root.setParameterExceptionHandler(new UsageReport());
    return root;
  }
}
