// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.model.Ending;
import io.dsec.model.Limit;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * How one task of a batch went.
 *
 * @param n its place in the order of endings, from 1
 * @param json the whole result as the server sent it
 */
public record TaskResult(
    long n,
    String id,
    @Nullable String sandbox,
    @Nullable String node,
    int attempt,
    Ending ending,
    Set<Limit> limitsHit,
    Timings timings,
    JsonNode json) {

  static TaskResult of(JsonNode json) {
    return new TaskResult(
        json.path("n").asLong(0),
        json.path("id").asString(""),
        Replies.text(json, "sandbox"),
        Replies.text(json, "node"),
        json.path("attempt").asInt(1),
        ExecWire.ending(json.path("ending")),
        ExecWire.limits(json.path("ending").path("limits_hit")),
        timings(json),
        json);
  }

  private static Timings timings(JsonNode json) {
    JsonNode phases = json.path("timings");
    Timings timings = phases.isObject() ? Replies.as(phases, Timings.class) : Timings.NONE;
    JsonNode run = json.path("duration_seconds");
    return timings.run() == null && run.isNumber()
        ? timings.withRun(Duration.ofNanos((long) (run.asDouble() * 1e9)))
        : timings;
  }

  public @Nullable String stderr() {
    return Replies.text(json, "stderr");
  }
}
