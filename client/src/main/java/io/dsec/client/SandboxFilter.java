// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.link.Json;
import io.dsec.model.SandboxState;
import java.util.Map;
import java.util.Optional;

/** Which sandboxes are meant: those with all of these labels, in this state, of this tenant. */
public record SandboxFilter(
    Map<String, String> labels, Optional<SandboxState> state, Optional<String> tenant) {
  public static final SandboxFilter ALL =
      new SandboxFilter(Map.of(), Optional.empty(), Optional.empty());

  public SandboxFilter {
    labels = Map.copyOf(labels);
  }

  public static SandboxFilter labelled(String key, String value) {
    return new SandboxFilter(Map.of(key, value), Optional.empty(), Optional.empty());
  }

  Query of(String path) {
    Query query = Query.of(path);
    labels.forEach((key, value) -> query.with("label", key + "=" + value));
    return query
        .with("state", state.map(Json::lower).orElse(null))
        .with("tenant", tenant.orElse(null));
  }
}
