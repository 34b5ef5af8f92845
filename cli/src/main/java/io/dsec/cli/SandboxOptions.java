// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import io.dsec.client.SandboxRequest;
import io.dsec.model.DsecException;
import io.dsec.model.Isolation;
import io.dsec.model.Priority;
import io.dsec.model.RecordMode;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What a new sandbox shall be like; what is not given is left to the server. */
final class SandboxOptions {
  @Mixin private final PlaceOptions place = new PlaceOptions();

  @Option(
      names = "--isolation",
      paramLabel = "TIER",
      description = "auto, container, gvisor or microvm.")
  private Optional<Isolation> isolation = Optional.empty();

  @Option(names = "--cpu", paramLabel = "CORES", description = "Ceiling, decimal cores.")
  private Optional<Double> cpu = Optional.empty();

  @Option(
      names = "--memory",
      paramLabel = "SIZE",
      converter = Quantities.Size.class,
      description = "Ceiling, such as 512Mi.")
  private Optional<Long> memory = Optional.empty();

  @Option(
      names = "--disk",
      paramLabel = "SIZE",
      converter = Quantities.Size.class,
      description = "Ceiling of the writable layer, such as 1Gi.")
  private Optional<Long> disk = Optional.empty();

  @Option(names = "--pids", paramLabel = "N", description = "Ceiling of processes and threads.")
  private Optional<Integer> pids = Optional.empty();

  @Option(
      names = "--secret",
      paramLabel = "NAME",
      description =
          "Environment variable taken from this command's own, masked in all records; may be repeated.")
  private List<String> secrets = List.of();

  @Option(
      names = {"-l", "--label"},
      paramLabel = "KEY=VALUE",
      description = "Label; may be repeated.")
  private Map<String, String> labels = new LinkedHashMap<>();

  @Option(names = "--hostname", paramLabel = "NAME", description = "Default: the sandbox's id.")
  private Optional<String> hostname = Optional.empty();

  @Option(
      names = "--ttl",
      paramLabel = "TIME",
      converter = Quantities.Length.class,
      description = "Absolute end of life, such as 30m.")
  private Optional<Duration> ttl = Optional.empty();

  @Option(names = "--priority", paramLabel = "CLASS", description = "online, batch or replay.")
  private Optional<Priority> priority = Optional.empty();

  @Option(names = "--no-record", description = "Write no trajectory.")
  private boolean unrecorded;

  SandboxRequest request(String image, Map<String, String> environment) {
    SandboxRequest request = SandboxRequest.of(image);
    isolation.ifPresent(request::isolation);
    cpu.ifPresent(request::cpu);
    memory.ifPresent(request::memory);
    disk.ifPresent(request::disk);
    pids.ifPresent(request::pids);
    place.env.forEach(request::env);
    for (String name : secrets) {
      String value = environment.get(name);
      if (value == null) {
        throw DsecException.invalid(
            "secret", "the secret %s is not set in this command's environment".formatted(name));
      }
      request.secret(name, value);
    }
    labels.forEach(request::label);
    place.user.ifPresent(request::user);
    place.workdir.ifPresent(request::workdir);
    hostname.ifPresent(request::hostname);
    ttl.ifPresent(request::ttl);
    priority.ifPresent(request::priority);
    if (unrecorded) {
      request.record(RecordMode.OFF);
    }
    return request;
  }
}
