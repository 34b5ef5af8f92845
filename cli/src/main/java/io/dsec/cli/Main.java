// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.batch.BatchCommands;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;
import picocli.CommandLine.Help.Ansi;

/** The entry of the {@code dsec} command. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    Surroundings around = Surroundings.ofProcess();
    int code = commands(around).execute(args);
    System.exit(code);
  }

  /** All commands, wired by hand. */
  static CommandLine commands(Surroundings around) {
    CommandLine root = new CommandLine(new Dsec());
    root.addSubcommand(new UpCommand(around))
        .addSubcommand(new RunCommand(around))
        .addSubcommand(new ExecCommand(around))
        .addSubcommand(new CopyCommand(around))
        .addSubcommand(new PortForwardCommand(around))
        .addSubcommand(
            new CommandLine(new SandboxCommands.Root())
                .addSubcommand(new SandboxCommands.Create(around))
                .addSubcommand(new SandboxCommands.Ls(around))
                .addSubcommand(new SandboxCommands.Show(around))
                .addSubcommand(new SandboxCommands.Rm(around))
                .addSubcommand(new SandboxCommands.Renew(around))
                .addSubcommand(new PauseCommands.Pause(around))
                .addSubcommand(new PauseCommands.Resume(around))
                .addSubcommand(new ForkCommand(around)))
        .addSubcommand(
            new CommandLine(new SessionCommands.Root())
                .addSubcommand(new SessionCommands.Create(around))
                .addSubcommand(new SessionCommands.Run(around))
                .addSubcommand(new SessionCommands.Ls(around))
                .addSubcommand(new SessionCommands.Rm(around)))
        .addSubcommand(
            new CommandLine(new ProcessCommands.Root())
                .addSubcommand(new ProcessCommands.Ls(around))
                .addSubcommand(new ProcessCommands.Logs(around))
                .addSubcommand(new ProcessCommands.SendSignal(around))
                .addSubcommand(new ProcessCommands.Rm(around)))
        .addSubcommand(
            new CommandLine(new BatchCommands.Root())
                .addSubcommand(new BatchCommands.Run(around))
                .addSubcommand(new BatchLookups.Ls(around))
                .addSubcommand(new BatchLookups.Show(around))
                .addSubcommand(new BatchLookups.Results(around))
                .addSubcommand(new BatchLookups.Cancel(around))
                .addSubcommand(new BatchCommands.FromHumanEval(around)))
        .addSubcommand(
            new CommandLine(new TrajectoryCommands.Root())
                .addSubcommand(new TrajectoryCommands.Show(around))
                .addSubcommand(new TrajectoryCommands.Export(around))
                .addSubcommand(new TrajectoryCommands.Verify(around)))
        .addSubcommand(
            new CommandLine(new KeyCommands.Root())
                .addSubcommand(new KeyCommands.Create(around))
                .addSubcommand(new KeyCommands.Ls(around))
                .addSubcommand(new KeyCommands.Rm(around)))
        .addSubcommand(
            new CommandLine(new NodeCommands.Root())
                .addSubcommand(new NodeCommands.Ls(around))
                .addSubcommand("drain", NotYet.of("node drain", ""))
                .addSubcommand("show", NotYet.of("node show", "")))
        .addSubcommand(new DoctorCommand(around))
        .addSubcommand(new CompletionCommand(around))
        .addSubcommand(
            "server", NotYet.of("server", "`dsec up` runs server and node in one process"));
    for (String later :
        new String[] {
          "image", "replay", "snapshot", "dataset", "volume", "group", "tenant", "queue", "top"
        }) {
      root.addSubcommand(later, NotYet.of(later, ""));
    }
    return settled(root, around);
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
