// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.model.Reason;
import io.dsec.node.channel.GuestSession;
import io.dsec.node.channel.Output;
import io.dsec.node.channel.ProtocolBreach;
import io.dsec.proto.guest.Ended;
import io.dsec.proto.guest.FileDone;
import io.dsec.proto.guest.Late;
import io.dsec.proto.guest.Started;
import io.dsec.proto.guest.StdinWindow;
import io.dsec.proto.guest.Welcome;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Hands what one guest says to the execs and file writes of its sandbox. */
public final class ExecSession implements GuestSession {
  private final BiConsumer<Reason, String> lost;
  private @Nullable ExecTable execs;
  private @Nullable FileWrites files;
  private @Nullable FirstWelcome beforeFirst;

  /** How far output was acknowledged. */
  public record Acked(long stdout, long stderr) {
    /** Of an exec that init does not know. */
    public static final Acked NOTHING = new Acked(0, 0);
  }

  /** Sees the first Welcome before the execs do. */
  public interface FirstWelcome {
    /** {@code acked} tells of the execs that init knows. */
    void welcome(LongFunction<Optional<Acked>> acked);
  }

  public ExecSession(BiConsumer<Reason, String> lost) {
    this.lost = lost;
  }

  /** Before the channel opens. */
  public void attach(ExecTable execTable, FileWrites fileWrites, @Nullable FirstWelcome first) {
    execs = execTable;
    files = fileWrites;
    beforeFirst = first;
  }

  private ExecTable execs() {
    return Objects.requireNonNull(execs);
  }

  private FileWrites files() {
    return Objects.requireNonNull(files);
  }

  @Override
  public void welcome(Welcome welcome) throws ProtocolBreach {
    FirstWelcome first = beforeFirst;
    beforeFirst = null;
    if (first != null) {
      first.welcome(exec -> acked(welcome, exec));
    }
    execs().welcome(welcome);
    files().interrupted();
  }

  private static Optional<Acked> acked(Welcome welcome, long exec) {
    return welcome.getExecsList().stream()
        .filter(status -> status.getExec() == exec)
        .map(status -> new Acked(status.getStdoutAcked(), status.getStderrAcked()))
        .findFirst();
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
