// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.link.Json;
import io.dsec.model.DsecException;
import io.dsec.server.admit.AdmissionSettings;
import io.dsec.server.batch.BatchSettings;
import io.dsec.server.reap.ReapSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * Settings of {@code dsec up}: what a YAML file says over the defaults. Unknown keys are refused.
 *
 * <pre>
 * admission: {creates_per_second: 0}
 * batches: {wave_size: 200}
 * node: {cpu_overcommit: 2, max_sandboxes: 1000}
 * </pre>
 */
record UpSettings(
    AdmissionSettings admission, BatchSettings batches, ReapSettings reap, NodeSettings node) {
  static final UpSettings DEFAULT =
      new UpSettings(
          AdmissionSettings.DEFAULT,
          BatchSettings.DEFAULT,
          ReapSettings.DEFAULT,
          NodeSettings.DEFAULT);

  /** Of the node, in the units of {@link io.dsec.node.NodeConfig}. */
  record NodeSettings(double cpuOvercommit, int maxSandboxes) {
    static final NodeSettings DEFAULT = new NodeSettings(1.2, 4000);
  }

  /** Without limits on how fast sandboxes may come. */
  UpSettings unpaced() {
    return new UpSettings(admission.lifted(), batches, reap, node);
  }

  static UpSettings read(Path file) {
    try {
      JsonNode given = new YAMLMapper().readTree(Files.readString(file));
      if (given.isMissingNode() || given.isNull()) {
        return DEFAULT;
      }
      if (!given.isObject()) {
        throw DsecException.invalid("config", file + " is no YAML mapping of sections");
      }
      ObjectNode merged = Json.mapper().valueToTree(DEFAULT);
      overlay(merged, (ObjectNode) given);
      return Json.mapper().treeToValue(merged, UpSettings.class);
    } catch (IOException e) {
      throw DsecException.invalid("config", "cannot read %s: %s".formatted(file, e.getMessage()));
    } catch (JacksonException e) {
      throw DsecException.invalid("config", "%s: %s".formatted(file, e.getOriginalMessage()));
    }
  }

  private static void overlay(ObjectNode base, ObjectNode over) {
    over.forEachEntry(
        (key, value) -> {
          if (value instanceof ObjectNode section && base.get(key) instanceof ObjectNode known) {
            overlay(known, section);
          } else {
            base.set(key, value);
          }
        });
  }
}
