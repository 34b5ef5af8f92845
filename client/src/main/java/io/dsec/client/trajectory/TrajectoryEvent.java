// SPDX-License-Identifier: Apache-2.0
package io.dsec.client.trajectory;

import io.dsec.link.Json;
import io.dsec.model.Bytes;
import io.dsec.model.DsecException;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Iterator;
import java.util.OptionalLong;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * One line of a trajectory.
 *
 * @param t nanoseconds since the recording began
 * @param data fields of the event, by its kind
 */
public record TrajectoryEvent(
    int v,
    long seq,
    long t,
    Instant wall,
    String sandbox,
    OptionalLong action,
    String kind,
    JsonNode data) {

  /**
   * @throws DsecException when the line is no event; the message says why
   */
  public static TrajectoryEvent parse(String line) {
    try {
      JsonNode node = Json.mapper().readTree(line);
      if (!node.path("seq").isIntegralNumber()
          || !node.path("t").isIntegralNumber()
          || !node.path("kind").isString()
          || !node.path("sandbox").isString()
          || !node.path("data").isObject()) {
        throw DsecException.invalid(
            "line", "not an event: seq, t, sandbox, kind and data are needed");
      }
      return new TrajectoryEvent(
          node.path("v").asInt(0),
          node.path("seq").asLong(),
          node.path("t").asLong(),
          Instant.parse(node.path("wall").asString("")),
          node.path("sandbox").asString(),
          node.path("action").isIntegralNumber()
              ? OptionalLong.of(node.path("action").asLong())
              : OptionalLong.empty(),
          node.path("kind").asString(),
          node.path("data"));
    } catch (JacksonException e) {
      throw DsecException.invalid("line", "not JSON: " + e.getOriginalMessage()).withCause(e);
    } catch (DateTimeParseException e) {
      throw DsecException.invalid("line", "wall is not a time: " + e.getParsedString())
          .withCause(e);
    }
  }

  static Stream<TrajectoryEvent> parse(Iterator<String> lines) {
    return StreamSupport.stream(
            Spliterators.spliteratorUnknownSize(lines, Spliterator.ORDERED), false)
        .map(TrajectoryEvent::parse);
  }

  /** The exec this event belongs to; empty when none. */
  public String exec() {
    return data.path("exec").asString("");
  }

  public boolean isOutput() {
    return kind.equals("exec.stdout") || kind.equals("exec.stderr");
  }

  /** The bytes of an {@code exec.stdin}, {@code exec.stdout} or {@code exec.stderr}. */
  public Bytes bytes() {
    JsonNode value = data.path("data");
    return value.isString()
        ? Bytes.utf8(value.asString())
        : Bytes.base64(value.path("base64").asString(""));
  }

  /** The same as text, with U+FFFD where the bytes are not UTF-8. */
  public String text() {
    return bytes().lossyText();
  }
}
