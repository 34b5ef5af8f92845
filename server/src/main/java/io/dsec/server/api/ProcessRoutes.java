// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.ExecListener.Stream;
import io.dsec.link.Json;
import io.dsec.link.OutputCursor;
import io.dsec.link.ProcessInput;
import io.dsec.model.Bytes;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.ExecSpec;
import io.dsec.model.SandboxId;
import io.dsec.model.TerminalSize;
import io.dsec.server.exec.Execs;
import io.dsec.server.exec.Presence;
import io.dsec.server.exec.ProcessReply;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /sandboxes/{id}/processes…}. */
final class ProcessRoutes {
  private static final int CHUNK = 64 << 10;
  private static final long APPEND = -1;

  /** It is kept for the node's next process. */
  private static final int MAX_STDIN = 64 << 10;

  private final Execs execs;
  private final Beats beats;

  ProcessRoutes(Execs execs, Beats beats) {
    this.execs = execs;
    this.beats = beats;
  }

  void start(Exchange exchange) throws IOException, InterruptedException {
    ExecRequest request = Bodies.read(exchange.body(), ExecRequest.class);
    ExecSpec spec = request.spec();
    boolean mayResume = request.mayResume() && exchange.mayResume();
    if (spec.stdin().filter(data -> data.length() > MAX_STDIN).isPresent()) {
      throw DsecException.of(
              ErrorCode.TOO_LARGE, "stdin of a process is at most %d bytes".formatted(MAX_STDIN))
          .withField("stdin")
          .withHint("start it with \"stdin_open\": true and post its input to …/stdin");
    }
    exchange.reply(
        201,
        ProcessReply.of(execs.start(exchange.caller(), exchange.sandboxId(), mayResume, spec)));
  }

  void list(Exchange exchange) throws InterruptedException {
    SandboxId id = exchange.sandboxId();
    List<ProcessReply> processes =
        execs.look(
            exchange.caller(),
            id,
            node -> node.processes(id).stream().map(ProcessReply::of).toList());
    Map<String, @Nullable Object> reply = new LinkedHashMap<>();
    reply.put("processes", processes);
    reply.put("next_cursor", null);
    exchange.reply(200, reply);
  }

  /** With {@code ?wait=30s} the reply comes with the process's end, if that comes first. */
  void show(Exchange exchange) throws InterruptedException {
    SandboxId id = exchange.sandboxId();
    Duration wait =
        exchange.query("wait").map(w -> Amount.duration("wait", w)).orElse(Duration.ZERO);
    exchange.reply(
        200,
        execs.look(
            exchange.caller(),
            id,
            node -> ProcessReply.of(node.process(id, exchange.path("process"), wait))));
  }

  /**
   * Raw bytes of one stream from {@code offset} on. Where bytes are no longer kept, the reply
   * begins behind them, or ends before them.
   */
  void output(Exchange exchange) throws IOException, InterruptedException {
    SandboxId id = exchange.sandboxId();
    Stream stream = stream(exchange);
    long offset = exchange.number("offset", 0, Long.MAX_VALUE);
    boolean follow = exchange.flag("follow");
    String process = exchange.path("process");
    boolean lines = exchange.accepts(Exchange.NDJSON);
    try (OutputCursor cursor =
        execs.output(exchange.caller(), id, process, stream, offset, follow)) {
      if (lines) {
        lines(exchange, cursor, stream, offset, follow);
      } else {
        raw(exchange, cursor, offset);
      }
    }
  }

  private static Stream stream(Exchange exchange) {
    String name = exchange.query("stream").orElse("stdout");
    return switch (name) {
      case "stdout" -> Stream.STDOUT;
      case "stderr" -> Stream.STDERR;
      default ->
          throw DsecException.invalid(
              "stream", "stream is \"%s\"; it must be stdout or stderr".formatted(name));
    };
  }

  private static void raw(Exchange exchange, OutputCursor cursor, long offset) throws IOException {
    OutputCursor.Piece piece = cursor.next();
    long at = piece == null ? offset : piece.offset();
    exchange.replyHeader("Dsec-Offset", Long.toString(at));
    try (OutputStream out = exchange.stream(Exchange.BYTES)) {
      while (piece != null && piece.offset() == at) {
        out.write(piece.data().toArray());
        out.flush();
        at += piece.data().length();
        piece = cursor.next();
      }
    }
  }

  private void lines(
      Exchange exchange, OutputCursor cursor, Stream stream, long offset, boolean follow)
      throws IOException {
    String name = Json.lower(stream);
    long at = offset;
    try (Lines out =
        follow
            ? Lines.followed(exchange, beats, LineEncoder.HEARTBEAT, cursor::close)
            : Lines.whole(exchange)) {
      for (OutputCursor.Piece p = cursor.next(); p != null; p = cursor.next()) {
        if (p.offset() > at) {
          out.json(Map.of("gap", Map.of("from", at, "to", p.offset())));
        }
        Map<String, Object> piece = new LinkedHashMap<>();
        piece.put(name, p.data().base64());
        piece.put("offset", p.offset());
        out.json(piece);
        at = p.offset() + p.data().length();
      }
    }
  }

  /** The body becomes input, as it comes and as fast as the process reads. */
  void stdin(Exchange exchange) throws IOException, InterruptedException {
    SandboxId id = exchange.sandboxId();
    String process = exchange.path("process");
    boolean close = exchange.flag("close");
    long at =
        exchange.query("offset").isEmpty() ? APPEND : exchange.number("offset", 0, Long.MAX_VALUE);
    byte[] chunk = new byte[CHUNK];
    long received;
    try (ProcessInput input = execs.look(exchange.caller(), id, node -> node.input(id, process));
        InputStream in = exchange.bodyStream()) {
      for (int n = in.readNBytes(chunk, 0, CHUNK); n > 0; n = in.readNBytes(chunk, 0, CHUNK)) {
        long _ = give(exchange, id, input, at, Bytes.wrap(Arrays.copyOf(chunk, n)), false);
        at = at == APPEND ? APPEND : at + n;
      }
      received = give(exchange, id, input, at, Bytes.EMPTY, close);
    }
    exchange.reply(200, Map.of("offset", received));
  }

  private long give(
      Exchange exchange, SandboxId id, ProcessInput input, long at, Bytes data, boolean close)
      throws InterruptedException {
    try (Presence.Watch _ = ClientWatch.begin(beats.timer(), input::close)) {
      return execs.on(
          exchange.caller(), id, exchange.mayResume(), _ -> input.give(at, data, close));
    }
  }

  void signal(Exchange exchange) throws IOException, InterruptedException {
    SandboxId id = exchange.sandboxId();
    SignalRequest request = Bodies.read(exchange.body(), SignalRequest.class);
    int number = request.number();
    String process = exchange.path("process");
    execs.tell(
        exchange.caller(),
        id,
        exchange.mayResume(),
        node -> node.signal(id, process, number, Boolean.TRUE.equals(request.group())));
    exchange.noContent();
  }

  void resize(Exchange exchange) throws IOException, InterruptedException {
    SandboxId id = exchange.sandboxId();
    TerminalSize size = Bodies.read(exchange.body(), ResizeRequest.class).size();
    execs.tell(
        exchange.caller(), id, true, node -> node.resize(id, exchange.path("process"), size));
    exchange.noContent();
  }

  void remove(Exchange exchange) throws InterruptedException {
    SandboxId id = exchange.sandboxId();
    boolean _ =
        execs.look(
            exchange.caller(),
            id,
            node -> {
              node.forget(id, exchange.path("process"));
              return true;
            });
    exchange.noContent();
  }
}
