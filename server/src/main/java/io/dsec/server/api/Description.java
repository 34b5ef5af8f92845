// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Json;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Objects;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** The OpenAPI description: kept as YAML, served as JSON, turned from one into the other once. */
final class Description {
  private static final class Loaded {
    static final byte[] JSON = load();
  }

  private Description() {}

  static byte[] json() {
    return Loaded.JSON;
  }

  private static byte[] load() {
    try (InputStream in = Description.class.getResourceAsStream("/openapi.yaml")) {
      JsonNode tree = YAMLMapper.shared().readTree(Objects.requireNonNull(in));
      return Json.mapper().writeValueAsBytes(tree);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
