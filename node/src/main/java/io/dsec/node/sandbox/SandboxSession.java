// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import io.dsec.model.Reason;
import io.dsec.node.channel.GuestSession;
import io.dsec.node.channel.Output;
import io.dsec.node.channel.ProtocolBreach;
import io.dsec.node.exec.ExecTable;
import io.dsec.node.exec.FileWrites;
import io.dsec.proto.guest.Ended;
import io.dsec.proto.guest.FileDone;
import io.dsec.proto.guest.Late;
import io.dsec.proto.guest.Started;
import io.dsec.proto.guest.StdinWindow;
import io.dsec.proto.guest.Welcome;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Hands what one guest says to the execs and file writes of its sandbox. */
final class SandboxSession implements GuestSession {
  private final BiConsumer<Reason, String> lost;
  private @Nullable ExecTable execs;
  private @Nullable FileWrites files;
  private @Nullable WelcomeHook beforeFirst;

  /** Sees the first Welcome before the execs do. */
  interface WelcomeHook {
    void welcome(Welcome welcome);
  }

  SandboxSession(BiConsumer<Reason, String> lost) {
    this.lost = lost;
  }

  /** Before the channel opens. */
  void attach(ExecTable execTable, FileWrites fileWrites, @Nullable WelcomeHook hook) {
    execs = execTable;
    files = fileWrites;
    beforeFirst = hook;
  }

  private ExecTable execs() {
    return Parts.need(execs, "execs");
  }

  private FileWrites files() {
    return Parts.need(files, "files");
  }

  @Override
  public void welcome(Welcome welcome) throws ProtocolBreach {
    WelcomeHook hook = beforeFirst;
    beforeFirst = null;
    if (hook != null) {
      hook.welcome(welcome);
    }
    execs().welcome(welcome);
    files().interrupted();
  }

  @Override
  public void started(Started started) throws ProtocolBreach {
    execs().started(started);
  }

  @Override
  public void output(Output output) throws ProtocolBreach {
    execs().output(output);
  }

  @Override
  public void ended(Ended ended) throws ProtocolBreach {
    execs().ended(ended);
  }

  @Override
  public void stdinWindow(StdinWindow window) throws ProtocolBreach {
    execs().stdinWindow(window);
  }

  @Override
  public void fileDone(FileDone done) {
    files().done(done);
  }

  @Override
  public void late(Late late) throws ProtocolBreach {
    execs().late(late);
  }

  @Override
  public void interrupted() {}

  @Override
  public void lost(Reason reason, String message) {
    files().close();
    lost.accept(reason, message);
  }
}
