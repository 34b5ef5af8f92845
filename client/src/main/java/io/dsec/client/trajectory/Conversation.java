// SPDX-License-Identifier: Apache-2.0
package io.dsec.client.trajectory;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A trajectory as turns of an agent. A posted step opens a turn and the execs that start before the
 * next step belong to it; later posts with the same {@code step_id} add to it. An exec outside any
 * step is a turn of its own. The whole conversation is held in memory.
 */
final class Conversation {
  private final List<Turn> turns = new ArrayList<>();
  private final Map<String, Turn> steps = new HashMap<>();
  private final Map<String, Turn.Call> open = new HashMap<>();
  private @Nullable Turn current;
  private String sandbox = "";

  private Conversation() {}

  static Conversation of(Iterator<String> lines) {
    Conversation conversation = new Conversation();
    TrajectoryEvent.parse(lines).forEach(conversation::add);
    return conversation;
  }

  String sandbox() {
    return sandbox;
  }

  List<Turn> turns() {
    return turns;
  }

  private void add(TrajectoryEvent event) {
    sandbox = event.sandbox();
    Turn.Call call = open.get(event.exec());
    switch (event.kind()) {
      case "step" -> step(event);
      case "note" -> turn(event.wall(), true).merge(event.data());
      case "exec.start" -> open.put(event.exec(), start(event));
      case "exec.stdout", "exec.stderr" -> {
        if (call != null) {
          call.output(event);
        }
      }
      case "record.gap" -> {
        if (call != null && !event.data().path("stream").asString("").equals("stdin")) {
          call.left(event);
        }
      }
      case "exec.end" -> {
        if (call != null) {
          call.end(event);
          open.remove(event.exec());
        }
      }
      default -> {}
    }
  }

  private void step(TrajectoryEvent event) {
    String id = event.data().path("step_id").asString("");
    Turn turn = id.isEmpty() ? null : steps.get(id);
    if (turn == null) {
      turn = turn(event.wall(), false);
      current = turn;
      if (!id.isEmpty()) {
        steps.put(id, turn);
      }
    }
    turn.merge(event.data());
  }

  private Turn.Call start(TrajectoryEvent event) {
    Turn turn = current;
    return (turn == null ? turn(event.wall(), false) : turn).add(event);
  }

  private Turn turn(Instant wall, boolean note) {
    Turn turn = new Turn(wall, note);
    turns.add(turn);
    return turn;
  }
}
