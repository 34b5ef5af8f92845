// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.model.TerminalSize;
import io.dsec.proto.guest.Forget;
import io.dsec.proto.guest.Hold;
import io.dsec.proto.guest.Resize;
import io.dsec.proto.guest.Signal;
import io.dsec.proto.guest.Size;
import io.dsec.proto.guest.Start;
import io.dsec.proto.guest.Stdin;
import io.dsec.proto.guest.ToGuest;
import io.dsec.proto.guest.Window;

/** What execs say to init, in its envelope. */
final class Messages {
  /** The number of SIGKILL. */
  static final int KILL = 9;

  private Messages() {}

  static ToGuest start(Start.Builder start) {
    return ToGuest.newBuilder().setStart(start).build();
  }

  static ToGuest window(Window window) {
    return ToGuest.newBuilder().setWindow(window).build();
  }

  static ToGuest forget(long exec) {
    return ToGuest.newBuilder().setForget(Forget.newBuilder().setExec(exec)).build();
  }

  static ToGuest hold(boolean on) {
    return ToGuest.newBuilder().setHold(Hold.newBuilder().setOn(on)).build();
  }

  /** The next piece of its input, {@code offset} bytes having come, is end-of-file. */
  static ToGuest endOfInput(long exec, long offset) {
    Stdin.Builder end = Stdin.newBuilder().setExec(exec).setOffset(offset).setClose(true);
    return ToGuest.newBuilder().setStdin(end).build();
  }

  static ToGuest resize(long exec, TerminalSize size) {
    Resize.Builder message = Resize.newBuilder().setExec(exec).setSize(size(size));
    return ToGuest.newBuilder().setResize(message).build();
  }

  static Size size(TerminalSize size) {
    return Size.newBuilder().setColumns(size.cols()).setRows(size.rows()).build();
  }

  /** As a user asks for it: the ending is whatever becomes of it. */
  static ToGuest signal(long exec, int signal, Signal.Target target) {
    Signal.Builder message = Signal.newBuilder().setExec(exec).setSignal(signal).setTarget(target);
    return ToGuest.newBuilder().setSignal(message).build();
  }

  /** To every process of the exec; an ending by it will say that the node killed it. */
  static ToGuest killAll(long exec, int signal) {
    Signal.Builder message =
        Signal.newBuilder()
            .setExec(exec)
            .setSignal(signal)
            .setTarget(Signal.Target.ALL)
            .setWhy(Signal.Why.RECLAIM);
    return ToGuest.newBuilder().setSignal(message).build();
  }
}
