// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.model.Reason;
import io.dsec.node.channel.GuestSession;
import io.dsec.node.channel.Output;
import io.dsec.node.channel.ProtocolBreach;
import io.dsec.proto.guest.Ended;
import io.dsec.proto.guest.ExecStatus;
import io.dsec.proto.guest.Late;
import io.dsec.proto.guest.Started;
import io.dsec.proto.guest.StdinWindow;
import io.dsec.proto.guest.Welcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Hands what one guest says to the execs and applets of its sandbox. */
public final class ExecSession implements GuestSession {
  private final BiConsumer<Reason, String> lost;
  private @Nullable ExecTable execs;
  private @Nullable Applets applets;
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
  public void attach(ExecTable execTable, Applets appletTable, @Nullable FirstWelcome first) {
    execs = execTable;
    applets = appletTable;
    beforeFirst = first;
  }

  private ExecTable execs() {
    return Objects.requireNonNull(execs);
  }

  private Applets applets() {
    return Objects.requireNonNull(applets);
  }

  @Override
  public void welcome(Welcome welcome) throws ProtocolBreach {
    FirstWelcome first = beforeFirst;
    beforeFirst = null;
    if (first != null) {
      first.welcome(exec -> acked(welcome, exec));
    }
    Welcome.Builder ofExecs = welcome.toBuilder().clearExecs();
    List<ExecStatus> ofApplets = new ArrayList<>();
    for (ExecStatus status : welcome.getExecsList()) {
      if (Applets.owns(status.getExec())) {
        ofApplets.add(status);
      } else {
        ofExecs.addExecs(status);
      }
    }
    execs().welcome(ofExecs.build());
    applets().welcome(ofApplets);
  }

  private static Optional<Acked> acked(Welcome welcome, long exec) {
    return welcome.getExecsList().stream()
        .filter(status -> status.getExec() == exec)
        .map(status -> new Acked(status.getStdoutAcked(), status.getStderrAcked()))
        .findFirst();
  }

  @Override
  public void started(Started started) throws ProtocolBreach {
    if (Applets.owns(started.getExec())) {
      applets().started(started.getExec());
    } else {
      execs().started(started);
    }
  }

  @Override
  public void output(Output output) throws ProtocolBreach {
    if (Applets.owns(output.exec())) {
      applets().output(output);
    } else {
      execs().output(output);
    }
  }

  @Override
  public void ended(Ended ended) throws ProtocolBreach {
    if (Applets.owns(ended.getExec())) {
      applets().ended(ended);
    } else {
      execs().ended(ended);
    }
  }

  @Override
  public void stdinWindow(StdinWindow window) throws ProtocolBreach {
    if (Applets.owns(window.getExec())) {
      applets().stdinWindow(window);
    } else {
      execs().stdinWindow(window);
    }
  }

  @Override
  public void late(Late late) throws ProtocolBreach {
    if (!Applets.owns(late.getExec())) {
      execs().late(late);
    }
  }

  @Override
  public void interrupted() {}

  @Override
  public void lost(Reason reason, String message) {
    lost.accept(reason, message);
  }
}
