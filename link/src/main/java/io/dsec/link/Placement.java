// SPDX-License-Identifier: Apache-2.0
package io.dsec.link;

import io.dsec.model.SandboxId;
import io.dsec.model.SandboxSpec;
import io.dsec.model.Tier;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * An order to run one sandbox on a node.
 *
 * @param epoch of the server's scheduler lease: a node refuses orders older than one it has obeyed
 * @param tier what {@code isolation} was resolved to
 * @param attempt 1 for the first try of a task
 * @param fork present when it begins with another's files
 */
public record Placement(
    SandboxId id,
    long epoch,
    String tenant,
    SandboxSpec spec,
    Tier tier,
    int attempt,
    Instant expiresAt,
    Optional<Fork> fork) {
  public Placement {
    Objects.requireNonNull(id);
    Objects.requireNonNull(tenant);
    Objects.requireNonNull(spec);
    Objects.requireNonNull(tier);
    Objects.requireNonNull(expiresAt);
    Objects.requireNonNull(fork);
  }

  /** One that begins empty. */
  public Placement(
      SandboxId id,
      long epoch,
      String tenant,
      SandboxSpec spec,
      Tier tier,
      int attempt,
      Instant expiresAt) {
    this(id, epoch, tenant, spec, tier, attempt, expiresAt, Optional.empty());
  }
}
