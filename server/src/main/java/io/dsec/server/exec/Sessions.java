// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.exec;

import io.dsec.link.ExecListener;
import io.dsec.link.NodeCommands;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.ExecResult;
import io.dsec.model.ExecSpec;
import io.dsec.model.ProcessInfo;
import io.dsec.model.SandboxId;
import io.dsec.model.SessionPart;
import io.dsec.server.tenant.Caller;
import java.util.List;
import java.util.Optional;

/**
 * Shell sessions. The shell is a process of the sandbox, and so is each run; session {@code s-N} is
 * process {@code e-N}. The guest is who knows whether the shell is busy; nothing of it is kept
 * here.
 */
public final class Sessions {
  private static final int INTERRUPT = 2;
  private static final String PROCESS = "e-";
  private static final String SESSION = "s-";

  private final Execs execs;

  public Sessions(Execs execs) {
    this.execs = execs;
  }

  public SessionReply create(Caller caller, SandboxId id, ExecSpec shell)
      throws InterruptedException {
    return SessionReply.of(
        execs.start(caller, id, true, shell.inSession(SessionPart.SHELL)), Optional.empty());
  }

  public List<SessionReply> list(Caller caller, SandboxId id) throws InterruptedException {
    return execs.look(
        caller,
        id,
        node -> {
          List<ProcessInfo> all = node.processes(id);
          return all.stream()
              .filter(Sessions::isShell)
              .map(shell -> SessionReply.of(shell, running(all, shell)))
              .toList();
        });
  }

  public SessionReply show(Caller caller, SandboxId id, String session)
      throws InterruptedException {
    return execs.look(
        caller,
        id,
        node -> {
          ProcessInfo shell = shell(node, id, session);
          return SessionReply.of(shell, running(node.processes(id), shell));
        });
  }

  /** Runs a command to its end; errors as of {@link Execs#run}, and {@code conflict} when busy. */
  public ExecResult run(
      Caller caller, SandboxId id, String session, ExecSpec command, ExecListener listener)
      throws InterruptedException {
    ProcessInfo shell = execs.on(caller, id, node -> shell(node, id, session));
    if (shell.ending().isPresent()) {
      throw ended(session);
    }
    return execs.run(
        caller, id, true, command.inSession(new SessionPart(number(session))), listener);
  }

  /** As Ctrl-C would: the command that runs, and the shell, get SIGINT. */
  public void interrupt(Caller caller, SandboxId id, String session) throws InterruptedException {
    execs.tell(
        caller,
        id,
        true,
        node -> {
          ProcessInfo shell = shell(node, id, session);
          ProcessInfo run =
              running(node.processes(id), shell)
                  .orElseThrow(
                      () ->
                          DsecException.of(
                              ErrorCode.CONFLICT, "nothing runs in session " + session));
          node.signal(id, run.id(), INTERRUPT, true);
        });
  }

  /** Kills the shell and what runs in it. Safe to repeat. */
  public void remove(Caller caller, SandboxId id, String session) throws InterruptedException {
    execs.tell(
        caller,
        id,
        true,
        node -> {
          List<ProcessInfo> all = node.processes(id);
          Optional<ProcessInfo> shell =
              all.stream().filter(p -> isShell(p) && p.id().equals(process(session))).findAny();
          shell.flatMap(found -> running(all, found)).ifPresent(run -> node.forget(id, run.id()));
          shell.ifPresent(found -> node.forget(id, found.id()));
        });
  }

  private static ProcessInfo shell(NodeCommands node, SandboxId id, String session) {
    return node.processes(id).stream()
        .filter(p -> isShell(p) && p.id().equals(process(session)))
        .findAny()
        .orElseThrow(() -> DsecException.notFound("session", session));
  }

  private static boolean isShell(ProcessInfo process) {
    return process.session().filter(SessionPart::isShell).isPresent();
  }

  private static Optional<ProcessInfo> running(List<ProcessInfo> all, ProcessInfo shell) {
    SessionPart part = new SessionPart(Long.parseLong(shell.id().substring(PROCESS.length())));
    return all.stream()
        .filter(p -> p.ending().isEmpty() && p.session().equals(Optional.of(part)))
        .findFirst();
  }

  private static String process(String session) {
    return session.startsWith(SESSION) ? PROCESS + session.substring(SESSION.length()) : "";
  }

  private static long number(String session) {
    return Long.parseLong(session.substring(SESSION.length()));
  }

  static DsecException ended(String session) {
    return DsecException.of(ErrorCode.GONE, "the shell of session %s has ended".formatted(session))
        .withHint("open another session; exit, exec and a kill end one");
  }

  /** Name of the session that a process is of, as shell or as run. */
  static Optional<String> name(ProcessInfo process) {
    return process
        .session()
        .map(
            part ->
                SESSION
                    + (part.isShell()
                        ? process.id().substring(PROCESS.length())
                        : Long.toString(part.shell())));
  }
}
