// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.batch;

import io.dsec.model.Isolation;
import io.dsec.model.Priority;
import java.util.LinkedHashMap;
import java.util.Map;

/** The fields of a batch file. */
final class BatchShapes {
  private BatchShapes() {}

  private static final Rule RESOURCES =
      new Shape(
          "resources",
          fields(
              "cpu", Rule.NUMBER,
              "memory", Rule.SIZE,
              "disk", Rule.SIZE,
              "pids", Rule.INTEGER,
              "gpu", Rule.INTEGER,
              "disk_medium", Rule.TEXT,
              "shm", Rule.SIZE));

  private static final Rule GUARANTEED =
      new Shape("guaranteed", fields("cpu", Rule.NUMBER, "memory", Rule.SIZE));

  private static final Rule RETRIES =
      new Shape("retries", fields("on", Rule.TEXTS, "max", Rule.INTEGER));

  private static final Rule RECORD = new Shape("record", fields("mode", Rule.TEXT));

  private static final Rule MICRO_BATCH =
      new Shape("micro_batch", fields("size", Rule.INTEGER, "interval", Rule.DURATION));

  private static final Rule FILE =
      new Shape("a file", fields("text", Rule.TEXT, "base64", Rule.TEXT, "mode", Rule.TEXT));

  private static final Rule FILES =
      Rule.map(
          (field, value) ->
              value instanceof Doc.Fields
                  ? FILE.check(field, value)
                  : Rule.TEXT.check(field, value));

  /** What a task has of its own, or from {@code defaults}, or from the batch. */
  private static final Map<String, Rule> COMMON =
      fields(
          "image", Rule.TEXT,
          "isolation", Rule.oneOf(Isolation.class),
          "resources", RESOURCES,
          "guaranteed", GUARANTEED,
          "env", Rule.TEXT_MAP,
          "secrets", Rule.TEXT_MAP,
          "user", Rule.TEXT,
          "workdir", Rule.TEXT,
          "hostname", Rule.TEXT,
          "timeout", Rule.DURATION,
          "ttl", Rule.DURATION,
          "priority", Rule.oneOf(Priority.class),
          "labels", Rule.TEXT_MAP,
          "record", RECORD,
          "max_output", Rule.SIZE,
          "layers", Rule.TEXTS,
          "traits", Rule.TEXTS,
          "network", Rule.ANY,
          "mounts", Rule.ANY);

  static final Shape TASK =
      new Shape(
          "a task",
          with(
              COMMON,
              "retries",
              RETRIES,
              "id",
              Rule.TEXT,
              "command",
              Rule.TEXTS,
              "shell",
              Rule.TEXT,
              "files",
              FILES,
              "login",
              Rule.BOOLEAN,
              "cwd",
              Rule.TEXT,
              "stdin_base64",
              Rule.TEXT,
              "stdin",
              Rule.TEXT,
              "after",
              Rule.TEXTS));

  static final Shape BATCH =
      new Shape(
          "a batch",
          with(
              COMMON,
              "name",
              Rule.TEXT,
              "defaults",
              new Shape("defaults", with(COMMON, "files", FILES, "retries", RETRIES)),
              "wave_size",
              Rule.INTEGER,
              "micro_batch",
              MICRO_BATCH,
              "pacing",
              Rule.TEXT));

  private static Map<String, Rule> with(Map<String, Rule> base, Object... more) {
    Map<String, Rule> all = new LinkedHashMap<>(base);
    all.putAll(fields(more));
    return all;
  }

  private static Map<String, Rule> fields(Object... pairs) {
    Map<String, Rule> all = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      all.put((String) pairs[i], (Rule) pairs[i + 1]);
    }
    return all;
  }
}
