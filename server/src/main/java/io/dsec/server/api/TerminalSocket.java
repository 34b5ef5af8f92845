// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.NodeCommands;
import io.dsec.link.OutputCursor;
import io.dsec.link.ProcessInput;
import io.dsec.model.Bytes;
import io.dsec.model.DsecException;
import io.dsec.model.ProcessInfo;
import io.dsec.model.SandboxId;
import io.dsec.model.TerminalSize;
import io.dsec.server.exec.Execs;
import io.dsec.server.exec.ProcessReply;
import io.dsec.server.tenant.Caller;
import io.helidon.common.buffers.BufferData;
import io.helidon.websocket.WsSession;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client at a terminal. What it types goes on as fast as the program reads; what the terminal
 * shows comes as fast as the client reads, and the program waits for it. Closing it leaves the
 * program running.
 */
final class TerminalSocket extends LiveSocket {
  private static final Logger LOG = LoggerFactory.getLogger(TerminalSocket.class);
  private static final Duration END_WAIT = Duration.ofSeconds(10);
  private static final long APPEND = -1;

  /** Where the program is. */
  record Place(Execs execs, Caller caller, SandboxId sandbox, String process) {
    void tell(Consumer<NodeCommands> order) {
      boolean _ =
          on(
              node -> {
                order.accept(node);
                return true;
              });
    }

    <T> T on(Function<NodeCommands, T> call) {
      try {
        return execs.on(caller, sandbox, call);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("interrupted", e);
      }
    }
  }

  /** A text frame of the client. */
  record Order(@Nullable Size resize, tools.jackson.databind.@Nullable JsonNode signal) {
    record Size(int cols, int rows) {}
  }

  private final Place place;
  private final ProcessInput input;
  private final OutputCursor output;

  TerminalSocket(Place place, ProcessInput input, OutputCursor output, String request) {
    super(request);
    this.place = place;
    this.input = input;
    this.output = output;
  }

  @Override
  protected void begin() {
    Thread.ofVirtual().start(this::show);
  }

  /** Takes output to the client until the end of the program or of the connection. */
  private void show() {
    try {
      long at = output.offset();
      tell("start", Map.of("id", place.process(), "offset", at));
      for (OutputCursor.Piece p = output.next(); p != null; p = output.next()) {
        if (p.offset() > at) {
          tell("gap", Map.of("from", at, "to", p.offset()));
        }
        at = p.offset() + p.data().length();
        byte[] bytes = p.data().toArray();
        say(s -> s.send(BufferData.create(bytes), true));
      }
      if (open()) {
        end();
      }
    } catch (RuntimeException e) {
      LOG.debug("{}: a terminal broke off: {}", request(), e.toString());
      say(s -> s.close(1011, "the terminal broke off"));
    }
  }

  private void end() {
    ProcessInfo info = place.on(node -> node.process(place.sandbox(), place.process(), END_WAIT));
    ProcessReply reply = ProcessReply.of(info);
    tell("end", reply);
    say(s -> s.close(1000, "ended"));
  }

  @Override
  public void onMessage(WsSession from, BufferData buffer, boolean last) {
    Bytes typed = Bytes.wrap(buffer.readBytes());
    try {
      long _ = place.on(_ -> input.give(APPEND, typed, false));
    } catch (DsecException e) {
      LOG.debug("{}: what was typed is dropped: {}", request(), e.message());
    }
  }

  @Override
  protected void hear(byte[] text) {
    obey(Bodies.read(text, Order.class));
  }

  private void obey(Order order) {
    if (order.resize() != null) {
      resize(new TerminalSize(order.resize().cols(), order.resize().rows()));
    }
    if (order.signal() != null) {
      int number = new SignalRequest(order.signal(), true).number();
      place.tell(node -> node.signal(place.sandbox(), place.process(), number, true));
    }
  }

  void resize(TerminalSize size) {
    place.tell(node -> node.resize(place.sandbox(), place.process(), size));
  }

  @Override
  protected void gone() {
    input.close();
    output.close();
  }
}
