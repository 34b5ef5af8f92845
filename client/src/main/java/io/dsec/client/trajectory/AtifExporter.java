// SPDX-License-Identifier: Apache-2.0
package io.dsec.client.trajectory;

import io.dsec.link.Json;
import java.io.IOException;
import java.time.Instant;
import java.util.Iterator;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Agent Trajectory Interchange Format, version 1.4 (RFC 0001 of the Harbor project). A turn is an
 * agent step: {@code thought} becomes {@code reasoning_content}, {@code action} the message, execs
 * are tool calls with their output as observation; {@code feedback} and {@code score} go to {@code
 * extra}. A posted observation is a user step before it, a note a system step. The recording knows
 * no model: the agent is named after DSec and token metrics are absent.
 */
public final class AtifExporter implements TrajectoryExporter {
  static final String VERSION = "ATIF-v1.4";

  @Override
  public void export(Iterator<String> lines, Appendable out) throws IOException {
    Conversation conversation = Conversation.of(lines);
    ObjectNode root = Json.mapper().createObjectNode();
    root.put("schema_version", VERSION).put("session_id", conversation.sandbox());
    root.putObject("agent").put("name", "dsec").put("version", "1");
    ArrayNode steps = root.putArray("steps");
    conversation.turns().forEach(turn -> add(turn, steps));
    root.putObject("final_metrics").put("total_steps", steps.size());
    out.append(root.toString()).append('\n');
  }

  private static void add(Turn turn, ArrayNode steps) {
    if (turn.isNote()) {
      step(steps, turn.wall(), "system", turn.text("text").orElse(""));
      return;
    }
    turn.text("observation").ifPresent(text -> step(steps, turn.wall(), "user", text));
    ObjectNode step = step(steps, turn.wall(), "agent", turn.text("action").orElse(""));
    turn.text("thought").ifPresent(text -> step.put("reasoning_content", text));
    if (!turn.calls().isEmpty()) {
      calls(turn, step);
    }
    extra(turn, step);
  }

  private static void calls(Turn turn, ObjectNode step) {
    ArrayNode calls = step.putArray("tool_calls");
    ArrayNode results = step.putObject("observation").putArray("results");
    for (Turn.Call call : turn.calls()) {
      calls
          .addObject()
          .put("tool_call_id", call.id())
          .put("function_name", "exec")
          .set("arguments", call.arguments());
      results.addObject().put("source_call_id", call.id()).put("content", call.output());
    }
  }

  private static void extra(Turn turn, ObjectNode step) {
    ObjectNode extra = Json.mapper().createObjectNode();
    for (String name : new String[] {"step_id", "feedback", "score"}) {
      turn.value(name).ifPresent(value -> extra.set(name, value));
    }
    if (!extra.isEmpty()) {
      step.set("extra", extra);
    }
  }

  private static ObjectNode step(ArrayNode steps, Instant wall, String source, String message) {
    return steps
        .addObject()
        .put("step_id", steps.size())
        .put("timestamp", wall.toString())
        .put("source", source)
        .put("message", message);
  }
}
