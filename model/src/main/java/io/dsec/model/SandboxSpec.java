// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A sandbox as asked for, with every default filled in.
 *
 * @param secrets environment variables whose values are masked wherever DSec writes
 * @param user empty: the image's, else {@code agent}
 * @param workdir empty: the image's, else the user's home; made when absent
 * @param hostname empty: the sandbox's id
 * @param main present for a task
 */
public record SandboxSpec(
    String image,
    Isolation isolation,
    Resources resources,
    Guarantee guaranteed,
    Map<String, String> env,
    Map<String, String> secrets,
    Optional<String> user,
    Optional<String> workdir,
    Duration ttl,
    Priority priority,
    Map<String, String> labels,
    Optional<String> hostname,
    RecordMode record,
    Optional<MainCommand> main) {
  private static final Pattern HOSTNAME =
      Pattern.compile("[A-Za-z0-9]([A-Za-z0-9.-]{0,62}[A-Za-z0-9])?");
  private static final Pattern LABEL = Pattern.compile("[A-Za-z0-9_./-]{1,128}");

  public SandboxSpec {
    Objects.requireNonNull(image);
    Objects.requireNonNull(isolation);
    Objects.requireNonNull(resources);
    Objects.requireNonNull(guaranteed);
    env = Map.copyOf(env);
    secrets = Map.copyOf(secrets);
    labels = Map.copyOf(labels);
    env.forEach((name, value) -> Env.check("env", name, value));
    secrets.forEach((name, value) -> Env.check("secrets", name, value));
    if (image.isBlank()) {
      throw DsecException.invalid("image", "image is empty; name one, for example \"host\"");
    }
    if (ttl.isNegative() || ttl.isZero() || ttl.compareTo(Duration.ofDays(365)) > 0) {
      throw DsecException.invalid("ttl", "ttl must be longer than 0 and at most 365 days");
    }
    if (guaranteed.cpu() > resources.cpu() || guaranteed.memory() > resources.memory()) {
      throw DsecException.invalid("guaranteed", "guaranteed is more than the ceiling in resources");
    }
    hostname.ifPresent(
        name -> {
          if (!HOSTNAME.matcher(name).matches()) {
            throw DsecException.invalid(
                "hostname",
                "hostname is \"%s\"; use letters, digits, '-' and '.', at most 64".formatted(name));
          }
        });
    workdir.ifPresent(
        dir -> {
          Check.noNul("workdir", dir);
          if (!dir.startsWith("/")) {
            throw DsecException.invalid(
                "workdir", "workdir is \"%s\"; write an absolute path".formatted(dir));
          }
        });
    labels.forEach(
        (key, value) -> {
          if (!LABEL.matcher(key).matches() || value.length() > 256) {
            throw DsecException.invalid(
                "labels",
                "label \"%s\": a key is 1 to 128 of A-Z a-z 0-9 _ . / -, a value at most 256 characters"
                    .formatted(key));
          }
        });
  }

  public boolean isTask() {
    return main.isPresent();
  }

  public SandboxSpec withLabels(Map<String, String> newLabels) {
    return new SandboxSpec(
        image,
        isolation,
        resources,
        guaranteed,
        env,
        secrets,
        user,
        workdir,
        ttl,
        priority,
        newLabels,
        hostname,
        record,
        main);
  }

  /**
   * Of a sandbox that begins with this one's files: a host name of its own, and no main command.
   */
  public SandboxSpec asFork(Map<String, String> newLabels, Duration newTtl) {
    return new SandboxSpec(
        image,
        isolation,
        resources,
        guaranteed,
        env,
        secrets,
        user,
        workdir,
        newTtl,
        priority,
        newLabels,
        Optional.empty(),
        record,
        Optional.empty());
  }
}
