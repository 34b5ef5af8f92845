// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.dsec.model.DsecException;
import io.dsec.model.Guarantee;
import io.dsec.model.Isolation;
import io.dsec.model.MainCommand;
import io.dsec.model.Priority;
import io.dsec.model.RecordMode;
import io.dsec.model.Resources;
import io.dsec.model.SandboxSpec;
import io.dsec.server.schedule.TierChoice;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Body of {@code POST /sandboxes}; the sandbox part of {@code POST /tasks}. */
record CreateRequest(
    @Nullable String image,
    @Nullable List<String> layers,
    @Nullable Isolation isolation,
    @Nullable Set<String> traits,
    @Nullable ResourcesRequest resources,
    @Nullable GuaranteeRequest guaranteed,
    @Nullable Boolean entrypoint,
    @Nullable Map<String, String> env,
    @Nullable Map<String, String> secrets,
    @Nullable String user,
    @Nullable String workdir,
    @Nullable JsonNode ttl,
    @Nullable Priority priority,
    @Nullable Map<String, String> labels,
    @Nullable String taskId,
    @Nullable String hostname,
    @Nullable NetworkRequest network,
    @Nullable List<JsonNode> mounts,
    @Nullable JsonNode probe,
    @Nullable String restart,
    @Nullable TimeoutsRequest timeouts,
    @Nullable RecordRequest record,
    @JsonProperty("wait") @Nullable Boolean waiting,
    @Nullable JsonNode waitTimeout) {
  private static final Duration TTL = Duration.ofMinutes(30);
  private static final Duration WAIT = Duration.ofSeconds(30);

  record NetworkRequest(
      @Nullable String mode, @Nullable List<String> allow, @Nullable String group) {}

  record TimeoutsRequest(
      @Nullable JsonNode connect, @Nullable JsonNode read, @Nullable JsonNode task) {}

  record RecordRequest(@Nullable String mode) {}

  boolean waits() {
    return waiting == null || waiting;
  }

  Duration waitLimit() {
    return Amount.duration("wait_timeout", waitTimeout).orElse(WAIT);
  }

  Optional<String> idOfTask() {
    return Optional.ofNullable(taskId);
  }

  boolean hasSecrets() {
    return secrets != null && !secrets.isEmpty();
  }

  Set<String> traitSet() {
    return traits == null ? Set.of() : traits;
  }

  Isolation isolationOrAuto() {
    return isolation == null ? Isolation.AUTO : isolation;
  }

  Optional<Duration> taskTimeout() {
    return timeouts == null ? Optional.empty() : Amount.duration("timeouts.task", timeouts.task);
  }

  /** The sandbox asked for; a field that this release does not have is named. */
  SandboxSpec spec(Optional<MainCommand> main) {
    NotYet.check(this);
    for (String trait : traitSet()) {
      if (!TierChoice.TRAITS.contains(trait)) {
        throw DsecException.invalid(
            "traits", "traits has \"%s\"; known are %s".formatted(trait, TierChoice.TRAITS));
      }
    }
    if (image == null) {
      throw DsecException.invalid("image", "image is missing; name one, for example \"host\"");
    }
    Texts.noNul("image", image);
    Texts.noNul("user", user);
    Texts.pairs("labels", labels);
    Resources ceiling = (resources == null ? ResourcesRequest.NONE : resources).resources();
    Guarantee floor =
        (guaranteed == null ? GuaranteeRequest.NONE : guaranteed)
            .guarantee(ceiling, main.isPresent());
    return new SandboxSpec(
        image,
        isolationOrAuto(),
        ceiling,
        floor,
        Texts.pairs("env", env),
        Texts.pairs("secrets", secrets),
        Optional.ofNullable(user),
        Optional.ofNullable(workdir),
        Amount.duration("ttl", ttl).orElse(TTL),
        priority == null ? Priority.ONLINE : priority,
        Texts.pairs("labels", labels),
        Optional.ofNullable(hostname),
        record != null && "off".equals(record.mode) ? RecordMode.OFF : RecordMode.ON,
        main);
  }
}
