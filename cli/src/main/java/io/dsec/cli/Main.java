// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.cli.batch.BatchCommands;
import io.dsec.client.DsecClient;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
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
    Thread.ofPlatform().daemon().start(DsecClient::prepare);
    Surroundings around = Surroundings.ofProcess();
    int code = commands(around, args).execute(args);
    System.exit(code);
  }

  /** All commands, wired by hand; of them, those that {@code args} call are built. */
  static CommandLine commands(Surroundings around, String... args) {
    CommandTree all =
        new CommandTree(Dsec::new)
            .leaf("up", () -> new UpCommand(around))
            .leaf("run", () -> new RunCommand(around))
            .leaf("exec", () -> new ExecCommand(around))
            .leaf("cp", () -> new CopyCommand(around))
            .leaf("port-forward", () -> new PortForwardCommand(around))
            .group("sandbox", () -> sandbox(around))
            .group("session", () -> session(around))
            .group("process", () -> process(around))
            .group("batch", () -> batch(around))
            .group("trajectory", () -> trajectory(around))
            .group("key", () -> key(around))
            .group("node", () -> node(around))
            .leaf("doctor", () -> new DoctorCommand(around))
            .leaf(COMPLETION, () -> new CompletionCommand(around))
            .leaf(
                "server",
                () -> NotYet.of("server", "`dsec up` runs server and node in one process"));
    for (String later : LATER) {
      all.leaf(later, () -> NotYet.of(later, ""));
    }
    boolean completion = args.length > 0 && args[0].equals(COMPLETION);
    return settled(completion ? all.whole() : all.called(List.of(args)), around);
  }

  private static CommandTree sandbox(Surroundings around) {
    return new CommandTree(SandboxCommands.Root::new)
        .leaf("create", () -> new SandboxCommands.Create(around))
        .leaf("ls", () -> new SandboxCommands.Ls(around))
        .leaf("show", () -> new SandboxCommands.Show(around))
        .leaf("rm", () -> new SandboxCommands.Rm(around))
        .leaf("renew", () -> new SandboxCommands.Renew(around))
        .leaf("pause", () -> new PauseCommands.Pause(around))
        .leaf("resume", () -> new PauseCommands.Resume(around))
        .leaf("fork", () -> new ForkCommand(around));
  }

  private static CommandTree session(Surroundings around) {
    return new CommandTree(SessionCommands.Root::new)
        .leaf("create", () -> new SessionCommands.Create(around))
        .leaf("run", () -> new SessionCommands.Run(around))
        .leaf("ls", () -> new SessionCommands.Ls(around))
        .leaf("rm", () -> new SessionCommands.Rm(around));
  }

  private static CommandTree process(Surroundings around) {
    return new CommandTree(ProcessCommands.Root::new)
        .leaf("ls", () -> new ProcessCommands.Ls(around))
        .leaf("logs", () -> new ProcessCommands.Logs(around))
        .leaf("signal", () -> new ProcessCommands.SendSignal(around))
        .leaf("rm", () -> new ProcessCommands.Rm(around));
  }

  private static CommandTree batch(Surroundings around) {
    return new CommandTree(BatchCommands.Root::new)
        .leaf("run", () -> new BatchCommands.Run(around))
        .leaf("ls", () -> new BatchLookups.Ls(around))
        .leaf("show", () -> new BatchLookups.Show(around))
        .leaf("results", () -> new BatchLookups.Results(around))
        .leaf("cancel", () -> new BatchLookups.Cancel(around))
        .leaf("from-humaneval", () -> new BatchCommands.FromHumanEval(around));
  }

  private static CommandTree trajectory(Surroundings around) {
    return new CommandTree(TrajectoryCommands.Root::new)
        .leaf("show", () -> new TrajectoryCommands.Show(around))
        .leaf("export", () -> new TrajectoryCommands.Export(around))
        .leaf("verify", () -> new TrajectoryCommands.Verify(around));
  }

  private static CommandTree key(Surroundings around) {
    return new CommandTree(KeyCommands.Root::new)
        .leaf("create", () -> new KeyCommands.Create(around))
        .leaf("ls", () -> new KeyCommands.Ls(around))
        .leaf("rm", () -> new KeyCommands.Rm(around));
  }

  private static CommandTree node(Surroundings around) {
    return new CommandTree(NodeCommands.Root::new)
        .leaf("ls", () -> new NodeCommands.Ls(around))
        .leaf("drain", () -> NotYet.of("node drain", ""))
        .leaf("show", () -> NotYet.of("node show", ""));
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
