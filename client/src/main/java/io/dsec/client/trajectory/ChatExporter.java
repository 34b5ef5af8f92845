// SPDX-License-Identifier: Apache-2.0
package io.dsec.client.trajectory;

import io.dsec.link.Json;
import java.io.IOException;
import java.util.Iterator;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code {"messages": […]}} as chat models are trained on: observations and feedback are {@code
 * user}, thoughts are {@code assistant}, execs are its tool calls, their output is {@code tool},
 * notes are {@code system}.
 */
public final class ChatExporter implements TrajectoryExporter {
  @Override
  public void export(Iterator<String> lines, Appendable out) throws IOException {
    ObjectNode root = Json.mapper().createObjectNode();
    ArrayNode messages = root.putArray("messages");
    Conversation.of(lines).turns().forEach(turn -> add(turn, messages));
    out.append(root.toString()).append('\n');
  }

  private static void add(Turn turn, ArrayNode messages) {
    if (turn.isNote()) {
      message(messages, "system", turn.text("text").orElse(""));
      return;
    }
    turn.text("observation").ifPresent(text -> message(messages, "user", text));
    assistant(turn, messages);
    for (Turn.Call call : turn.calls()) {
      message(messages, "tool", call.output()).put("tool_call_id", call.id());
    }
    turn.text("feedback").ifPresent(text -> message(messages, "user", text));
  }

  private static void assistant(Turn turn, ArrayNode messages) {
    String thought = turn.text("thought").orElse("");
    if (turn.calls().isEmpty()) {
      String action = turn.text("action").orElse("");
      String text =
          thought.isEmpty() || action.isEmpty() ? thought + action : thought + "\n" + action;
      if (!text.isEmpty()) {
        message(messages, "assistant", text);
      }
      return;
    }
    ArrayNode calls = message(messages, "assistant", thought).putArray("tool_calls");
    for (Turn.Call call : turn.calls()) {
      ObjectNode tool = calls.addObject().put("id", call.id()).put("type", "function");
      tool.putObject("function").put("name", "exec").put("arguments", call.arguments().toString());
    }
  }

  private static ObjectNode message(ArrayNode messages, String role, String content) {
    return messages.addObject().put("role", role).put("content", content);
  }
}
