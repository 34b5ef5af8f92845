// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import io.dsec.link.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Reads a trajectory once from start to end: how far it is whole (each line an event, {@code seq}
 * without a gap) and how far each stream of each open exec has been recorded.
 */
final class TailScan {
  private final long streamCap;
  private final OpenExecs execs = new OpenExecs();
  private long seq;
  private long t;
  private Instant wall = Instant.EPOCH;

  private TailScan(long streamCap) {
    this.streamCap = streamCap;
  }

  static Resumed scan(Path path, long streamCap) throws IOException {
    TailScan scan = new TailScan(streamCap);
    try (LineReader lines = new LineReader(path, 0)) {
      long end = Files.size(path);
      long whole = 0;
      while (lines.next(end) && scan.accept(lines)) {
        whole = lines.position();
      }
      return new Resumed(scan.seq, scan.t, scan.wall, whole, end - whole, scan.execs);
    }
  }

  private boolean accept(LineReader line) {
    Event event = new Event();
    try (JsonParser in =
        Json.mapper().createParser(line.bytes(), line.from(), line.to() - line.from())) {
      event.read(in);
    } catch (JacksonException | DateTimeParseException _) {
      return false;
    }
    if (event.seq != seq + 1) {
      return false;
    }
    seq = event.seq;
    t = Math.max(t, event.t);
    wall = event.wall;
    apply(event);
    return true;
  }

  private void apply(Event event) {
    String exec = event.exec;
    if (exec == null) {
      return;
    }
    if (event.kind.equals(Kinds.EXEC_END)) {
      execs.finish(exec, (_, _) -> {});
      return;
    }
    String stream =
        Kinds.STREAMS.contains(event.kind)
            ? event.kind
            : event.kind.equals(Kinds.GAP) ? "exec." + event.stream : "";
    if (Kinds.STREAMS.contains(stream)) {
      StreamHead head = execs.stream(exec, stream);
      if (head != null) {
        long end = event.offset + event.bytes;
        head.resume(end, end >= streamCap || "cap".equals(event.reason));
      }
    }
  }

  /** The fields of a line that matter here. */
  private static final class Event {
    long seq;
    long t;
    Instant wall = Instant.EPOCH;
    String kind = "";
    @Nullable String exec;
    @Nullable String stream;
    @Nullable String reason;
    long offset;
    long bytes;

    void read(JsonParser in) {
      if (in.nextToken() != JsonToken.START_OBJECT) {
        return;
      }
      for (String name = in.nextName(); name != null; name = in.nextName()) {
        in.nextToken();
        switch (name) {
          case "seq" -> seq = in.getLongValue();
          case "t" -> t = in.getLongValue();
          case "wall" -> wall = Instant.parse(in.getString());
          case "kind" -> kind = in.getString();
          case "data" -> data(in);
          default -> in.skipChildren();
        }
      }
    }

    private void data(JsonParser in) {
      if (in.currentToken() != JsonToken.START_OBJECT) {
        return;
      }
      for (String name = in.nextName(); name != null; name = in.nextName()) {
        JsonToken value = in.nextToken();
        if (value == JsonToken.VALUE_STRING) {
          text(name, in);
        } else if (value == JsonToken.VALUE_NUMBER_INT) {
          number(name, in);
        } else {
          in.skipChildren();
        }
      }
    }

    private void text(String name, JsonParser in) {
      switch (name) {
        case "exec" -> exec = in.getString();
        case "stream" -> stream = in.getString();
        case "reason" -> reason = in.getString();
        default -> {}
      }
    }

    private void number(String name, JsonParser in) {
      switch (name) {
        case "offset" -> offset = in.getLongValue();
        case "bytes" -> bytes = in.getLongValue();
        default -> {}
      }
    }
  }
}
