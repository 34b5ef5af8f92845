// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.link.Json;
import io.dsec.model.SandboxSpec;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Reads a request back that was stored as its client sent it. */
public final class StoredRequest {
  private StoredRequest() {}

  public static SandboxSpec spec(String json) {
    JsonNode body = Json.mapper().readTree(json);
    boolean task = body.has("command") || body.has("shell");
    return task
        ? TaskRequest.read(body).spec()
        : Bodies.convert(body, CreateRequest.class, "").spec(Optional.empty());
  }
}
