// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.model.Isolation;
import io.dsec.model.Priority;
import io.dsec.model.RecordMode;
import java.time.Duration;
import tools.jackson.databind.node.ObjectNode;

/** A create request under construction; what is not set is left to the server. Not thread-safe. */
public final class SandboxRequest {
  private final ObjectNode json = Replies.mapper().createObjectNode();

  private SandboxRequest() {}

  public static SandboxRequest of(String image) {
    SandboxRequest request = new SandboxRequest();
    request.json.put("image", image);
    return request;
  }

  public SandboxRequest isolation(Isolation isolation) {
    return put("isolation", io.dsec.link.Json.lower(isolation));
  }

  /** Decimal cores. */
  public SandboxRequest cpu(double cores) {
    json.withObjectProperty("resources").put("cpu", cores);
    return this;
  }

  /** Bytes. */
  public SandboxRequest memory(long bytes) {
    return resource("memory", bytes);
  }

  /** Bytes of the writable layer. */
  public SandboxRequest disk(long bytes) {
    return resource("disk", bytes);
  }

  /** What placement counts: decimal cores and bytes. */
  public SandboxRequest guaranteed(double cpu, long memory) {
    json.withObjectProperty("guaranteed").put("cpu", cpu).put("memory", memory);
    return this;
  }

  public SandboxRequest pids(int count) {
    return resource("pids", count);
  }

  public SandboxRequest env(String name, String value) {
    json.withObjectProperty("env").put(name, value);
    return this;
  }

  /** An environment variable whose value is masked wherever DSec writes. */
  public SandboxRequest secret(String name, String value) {
    json.withObjectProperty("secrets").put(name, value);
    return this;
  }

  public SandboxRequest label(String key, String value) {
    json.withObjectProperty("labels").put(key, value);
    return this;
  }

  public SandboxRequest user(String user) {
    return put("user", user);
  }

  public SandboxRequest workdir(String dir) {
    return put("workdir", dir);
  }

  public SandboxRequest hostname(String name) {
    return put("hostname", name);
  }

  public SandboxRequest ttl(Duration ttl) {
    json.put("ttl", ttl.toNanos() / 1e9);
    return this;
  }

  public SandboxRequest priority(Priority priority) {
    return put("priority", io.dsec.link.Json.lower(priority));
  }

  public SandboxRequest record(RecordMode mode) {
    json.withObjectProperty("record").put("mode", io.dsec.link.Json.lower(mode));
    return this;
  }

  /** False: the reply comes at once, with the sandbox queued. */
  public SandboxRequest await(boolean running) {
    json.put("wait", running);
    return this;
  }

  /** How long the server may hold the reply back for the sandbox to run. */
  public SandboxRequest awaitFor(Duration limit) {
    json.put("wait_timeout", limit.toNanos() / 1e9);
    return this;
  }

  ObjectNode toJson() {
    return json.deepCopy();
  }

  private SandboxRequest put(String field, String value) {
    json.put(field, value);
    return this;
  }

  private SandboxRequest resource(String field, long value) {
    json.withObjectProperty("resources").put(field, value);
    return this;
  }
}
