// SPDX-License-Identifier: Apache-2.0
package io.dsec.client.trajectory;

import io.dsec.link.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What an agent did at one point: a step that the client posted, the execs that belong to it, or a
 * note.
 */
final class Turn {
  private final boolean note;
  private final Instant wall;
  private final ObjectNode fields = Json.mapper().createObjectNode();
  private final List<Call> calls = new ArrayList<>();

  Turn(Instant wall, boolean note) {
    this.wall = wall;
    this.note = note;
  }

  /** An exec: its arguments as a tool call has them, and what it printed. */
  static final class Call {
    private final String id;
    private final ObjectNode arguments;
    private final StringBuilder output = new StringBuilder();

    private Call(TrajectoryEvent start) {
      this.id = start.exec();
      this.arguments = argumentsOf(start);
    }

    String id() {
      return id;
    }

    ObjectNode arguments() {
      return arguments;
    }

    String output() {
      return output.toString();
    }

    void output(TrajectoryEvent event) {
      output.append(event.text());
    }

    void left(TrajectoryEvent gap) {
      output.append("\n[%d bytes not recorded]\n".formatted(gap.data().path("bytes").asLong(0)));
    }

    void end(TrajectoryEvent end) {
      String ending = ending(end.data());
      if (!ending.equals("exited 0")) {
        output.append("[").append(ending).append("]");
      }
    }
  }

  boolean isNote() {
    return note;
  }

  Instant wall() {
    return wall;
  }

  List<Call> calls() {
    return calls;
  }

  Call add(TrajectoryEvent start) {
    Call call = new Call(start);
    calls.add(call);
    return call;
  }

  /** Takes the fields of a step; a later event of the same step adds to them. */
  void merge(JsonNode data) {
    data.properties()
        .forEach(
            field -> {
              if (!field.getValue().isNull()) {
                fields.set(field.getKey(), field.getValue());
              }
            });
  }

  Optional<JsonNode> value(String name) {
    return Optional.ofNullable(fields.get(name));
  }

  /** A field as text; JSON when it is no string. */
  Optional<String> text(String name) {
    return value(name).map(v -> v.isString() ? v.asString() : v.toString());
  }

  /** The command of an {@code exec.start} as one would type it. */
  static String command(TrajectoryEvent start) {
    return words(start.data().path("argv")).stream()
        .map(w -> w.matches("[\\w@%+=:,./-]+") || isShell(start) ? w : quoted(w))
        .collect(Collectors.joining(" "));
  }

  private static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }

  /** {@code exited 3}, {@code signaled 9}, {@code oom} … */
  static String ending(JsonNode data) {
    JsonNode ending = data.path("ending");
    if (ending.isString()) {
      return ending.asString();
    }
    String detail = "";
    for (String name : List.of("code", "signal", "reason")) {
      if (!ending.path(name).isMissingNode() && !ending.path(name).isNull()) {
        detail = " " + ending.path(name).asString();
        break;
      }
    }
    return ending.path("kind").asString("unknown") + detail;
  }

  private static ObjectNode argumentsOf(TrajectoryEvent start) {
    ObjectNode out = Json.mapper().createObjectNode();
    List<String> argv = words(start.data().path("argv"));
    if (isShell(start) && !argv.isEmpty()) {
      out.put("shell", argv.getFirst());
    } else {
      out.putPOJO("argv", argv);
    }
    for (String name : List.of("cwd", "user")) {
      String value = start.data().path(name).asString("");
      if (!value.isEmpty()) {
        out.put(name, value);
      }
    }
    return out;
  }

  private static boolean isShell(TrajectoryEvent start) {
    return start.data().path("shell").asBoolean(false);
  }

  private static List<String> words(JsonNode argv) {
    return argv.isString()
        ? List.of(argv.asString())
        : StreamSupport.stream(argv.spliterator(), false).map(w -> w.asString("")).toList();
  }
}
