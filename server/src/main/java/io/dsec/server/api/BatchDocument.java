// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.DsecException;
import io.dsec.server.batch.BatchSettings;
import io.dsec.server.batch.Pacing;
import io.dsec.server.batch.Retries;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * What all tasks of a batch share.
 *
 * @param base the request of a task without its own part: the fields of the document, then {@code
 *     defaults} over them
 * @param sandbox the part of {@code base} that makes the sandbox
 * @param command the rest of it
 */
record BatchDocument(
    String name,
    ObjectNode base,
    CreateRequest sandbox,
    ObjectNode command,
    Retries retries,
    Pacing pacing) {
  private static final List<String> OF_THE_BATCH =
      List.of("name", "defaults", "wave_size", "micro_batch", "pacing");
  private static final int MOST = 1_000_000;

  record MicroBatchRequest(@Nullable Integer size, @Nullable JsonNode interval) {}

  record RetriesRequest(@Nullable Set<String> on, @Nullable Integer max) {}

  static BatchDocument of(ObjectNode document, BatchSettings settings) {
    for (String field : List.of("secrets", "task_id", "wait", "wait_timeout", "id", "after")) {
      if (document.has(field)) {
        throw field.equals("secrets")
            ? DsecException.notSupported(field, "batches take no secrets yet")
            : DsecException.invalid(field, field + " is no field of a batch");
      }
    }
    ObjectNode base = document.deepCopy();
    base.remove(OF_THE_BATCH);
    if (!base.has("priority")) {
      base.put("priority", "batch");
    }
    Retries retries = Retries.NONE;
    JsonNode defaults = document.get("defaults");
    if (defaults != null && !defaults.isNull()) {
      if (!(defaults instanceof ObjectNode object)) {
        throw DsecException.invalid("defaults", "defaults is not an object");
      }
      ObjectNode fields = object.deepCopy();
      retries = retries("defaults.retries", fields.remove("retries"), retries);
      Merge.into(base, fields);
    }
    ObjectNode sandbox = base.deepCopy();
    ObjectNode command = sandbox.objectNode();
    for (String field : TaskRequest.OF_THE_COMMAND) {
      JsonNode value = sandbox.remove(field);
      if (value != null) {
        command.set(field, value);
      }
    }
    return new BatchDocument(
        document.path("name").asString("batch"),
        base,
        Bodies.convert(sandbox, CreateRequest.class, ""),
        command,
        retries,
        pacing(document, settings));
  }

  static Retries retries(String field, @Nullable JsonNode node, Retries byDefault) {
    if (node == null || node.isNull()) {
      return byDefault;
    }
    RetriesRequest request = Bodies.convert(node, RetriesRequest.class, field);
    Set<String> on = request.on == null ? Set.of("lost", "killed") : new HashSet<>(request.on);
    for (String kind : on) {
      if (!Retries.KINDS.contains(kind)) {
        throw DsecException.invalid(
            field + ".on",
            "%s.on has \"%s\"; faults that may be retried are %s"
                .formatted(field, kind, Retries.KINDS));
      }
    }
    int max = request.max == null ? 2 : request.max;
    if (max < 0 || max > 100) {
      throw DsecException.invalid(field + ".max", field + ".max must be from 0 to 100");
    }
    return new Retries(on, max);
  }

  private static Pacing pacing(ObjectNode document, BatchSettings settings) {
    String word = document.path("pacing").asString("");
    boolean adaptive = word.equals("adaptive");
    if (document.has("pacing") && !adaptive && !word.equals("micro_batch")) {
      throw DsecException.invalid("pacing", "pacing is adaptive or micro_batch");
    }
    JsonNode micro = document.path("micro_batch");
    MicroBatchRequest request =
        micro.isObject()
            ? Bodies.convert(micro, MicroBatchRequest.class, "micro_batch")
            : new MicroBatchRequest(null, null);
    if (document.has("micro_batch") && !micro.isObject()) {
      throw DsecException.invalid("micro_batch", "micro_batch is {size, interval}");
    }
    int size =
        within("micro_batch.size", request.size == null ? settings.microBatch() : request.size);
    Duration interval =
        Amount.duration("micro_batch.interval", request.interval).orElse(settings.interval());
    Optional<Integer> waves =
        document.has("wave_size")
            ? Optional.of(within("wave_size", wholeNumber(document.get("wave_size"))))
            : adaptive ? Optional.empty() : Optional.of(settings.waveSize());
    return new Pacing(waves, size, interval, adaptive, settings.window());
  }

  private static int wholeNumber(JsonNode node) {
    if (!node.isInt()) {
      throw DsecException.invalid("wave_size", "wave_size is no whole number");
    }
    return node.intValue();
  }

  private static int within(String field, int value) {
    if (value < 1 || value > MOST) {
      throw DsecException.invalid(field, "%s must be from 1 to %d".formatted(field, MOST));
    }
    return value;
  }
}
