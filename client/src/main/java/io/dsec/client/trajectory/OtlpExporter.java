// SPDX-License-Identifier: Apache-2.0
package io.dsec.client.trajectory;

import io.dsec.link.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * OTLP/JSON traces: the sandbox is the root span, each exec a span below it, and life-cycle, denied
 * network and gap events are events of the root. Times are the wall time of the recording's begin
 * plus {@code t}. Ids derive from the sandbox's, so exporting twice gives the same trace.
 */
public final class OtlpExporter implements TrajectoryExporter {
  @Override
  public void export(Iterator<String> lines, Appendable out) throws IOException {
    Trace trace = new Trace();
    TrajectoryEvent.parse(lines).forEach(trace::add);
    out.append(trace.root().toString()).append('\n');
  }

  private static final class Trace {
    private static final int INTERNAL = 1;
    private static final int OK = 1;
    private static final int ERROR = 2;

    private final Map<String, ObjectNode> open = new LinkedHashMap<>();
    private final ArrayNode execs = Json.mapper().createArrayNode();
    private final ArrayNode events = Json.mapper().createArrayNode();
    private @Nullable TrajectoryEvent first;
    private String last = "0";

    void add(TrajectoryEvent event) {
      if (first == null) {
        first = event;
      }
      last = time(event);
      switch (event.kind()) {
        case "exec.start" -> start(event);
        case "exec.end" -> end(event);
        case "record.gap", "net.denied" -> point(event);
        default -> {
          if (event.kind().startsWith("sandbox.")) {
            point(event);
          }
        }
      }
    }

    private void start(TrajectoryEvent event) {
      ObjectNode span = span(event, "exec", id(event.sandbox() + "/" + event.exec(), 8));
      span.put("parentSpanId", id(event.sandbox(), 8));
      attribute(span, "dsec.exec", event.exec());
      attribute(span, "process.command_line", Turn.command(event));
      open.put(event.exec(), span);
      execs.add(span);
    }

    private void end(TrajectoryEvent event) {
      ObjectNode span = open.remove(event.exec());
      if (span == null) {
        return;
      }
      String ending = Turn.ending(event.data());
      span.put("endTimeUnixNano", last);
      attribute(span, "dsec.ending", ending);
      JsonNode code = event.data().path("ending").path("code");
      if (code.isIntegralNumber()) {
        attributes(span)
            .addObject()
            .put("key", "process.exit.code")
            .putObject("value")
            .put("intValue", code.asString());
      }
      ObjectNode status = span.putObject("status").put("code", OK);
      if (!ending.equals("exited 0")) {
        status.put("code", ERROR).put("message", ending);
      }
    }

    private void point(TrajectoryEvent event) {
      ObjectNode point = events.addObject().put("timeUnixNano", last).put("name", event.kind());
      event
          .data()
          .properties()
          .forEach(
              field ->
                  attribute(
                      point,
                      field.getKey(),
                      field.getValue().isString()
                          ? field.getValue().asString()
                          : field.getValue().toString()));
    }

    ObjectNode root() {
      ObjectNode root = Json.mapper().createObjectNode();
      TrajectoryEvent begin = first;
      ArrayNode resources = root.putArray("resourceSpans");
      if (begin == null) {
        return root;
      }
      ObjectNode resource = resources.addObject();
      ObjectNode about = resource.putObject("resource");
      attribute(about, "service.name", "dsec");
      attribute(about, "dsec.sandbox", begin.sandbox());
      ObjectNode scope = resource.putArray("scopeSpans").addObject();
      scope.putObject("scope").put("name", "dsec.trajectory").put("version", "1");
      ArrayNode spans = scope.putArray("spans");
      ObjectNode sandbox = span(begin, "sandbox", id(begin.sandbox(), 8));
      sandbox.put("endTimeUnixNano", last).set("events", events);
      spans.add(sandbox);
      open.values().forEach(span -> span.put("endTimeUnixNano", last));
      spans.addAll(execs);
      return root;
    }

    private ObjectNode span(TrajectoryEvent event, String name, String spanId) {
      return Json.mapper()
          .createObjectNode()
          .put("traceId", id(event.sandbox(), 16))
          .put("spanId", spanId)
          .put("name", name)
          .put("kind", INTERNAL)
          .put("startTimeUnixNano", time(event));
    }

    private String time(TrajectoryEvent event) {
      TrajectoryEvent begin = first == null ? event : first;
      Instant at = begin.wall().plusNanos(event.t() - begin.t());
      return "%d%09d".formatted(at.getEpochSecond(), at.getNano());
    }

    private static ArrayNode attributes(ObjectNode of) {
      return of.withArray("attributes");
    }

    private static void attribute(ObjectNode of, String key, String value) {
      attributes(of).addObject().put("key", key).putObject("value").put("stringValue", value);
    }

    private static String id(String of, int bytes) {
      try {
        byte[] digest =
            MessageDigest.getInstance("SHA-256").digest(of.getBytes(StandardCharsets.UTF_8));
        return HexFormat.of().formatHex(digest, 0, bytes);
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
