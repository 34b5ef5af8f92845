// SPDX-License-Identifier: Apache-2.0
package io.dsec.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.dsec.link.Json;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.databind.JsonNode;

/** One sandbox under test; closing deletes it. */
final class Box implements AutoCloseable {
  private final Api api;
  private final String id;

  Box(Api api, String id) {
    this.api = api;
    this.id = id;
  }

  String id() {
    return id;
  }

  Ran exec(String... argv) {
    return run(Map.of("argv", List.of(argv)));
  }

  Ran sh(String script) {
    return exec("sh", "-c", script);
  }

  Ran root(String script) {
    return run(Map.of("argv", List.of("sh", "-c", script), "user", "root"));
  }

  Ran sh(String script, String timeout) {
    return run(Map.of("argv", List.of("sh", "-c", script), "timeout", timeout));
  }

  Ran run(Map<String, ?> body) {
    Api.Reply reply = tryRun(body);
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    return new Ran(reply.json());
  }

  Api.Reply tryRun(Map<String, ?> body) {
    return api.post("/v1/sandboxes/" + id + "/exec", new TreeMap<>(body));
  }

  List<JsonNode> stream(Map<String, ?> body) {
    return api.stream("/v1/sandboxes/" + id + "/exec", new TreeMap<>(body));
  }

  List<JsonNode> trajectory() {
    return api.get("/v1/sandboxes/" + id + "/trajectory")
        .text()
        .lines()
        .map(line -> Json.mapper().readTree(line))
        .toList();
  }

  String state() {
    return api.get("/v1/sandboxes/" + id).json().path("state").asString("");
  }

  @Override
  public void close() {
    assertThat(api.delete("/v1/sandboxes/" + id).status()).isEqualTo(204);
  }
}
