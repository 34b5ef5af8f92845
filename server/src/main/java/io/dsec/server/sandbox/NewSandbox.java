// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.sandbox;

import io.dsec.link.Fork;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxSpec;
import io.dsec.model.Tier;
import io.dsec.server.store.Claim;
import java.util.Optional;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;

/**
 * A sandbox to accept.
 *
 * @param request what asked for it, to start it after a restart of the server; empty when it must
 *     not be kept (secrets) or is kept elsewhere (batches)
 * @param identity the client's own name for this create
 * @param alongside further writes of the same commit
 * @param fork present when it begins with another's files: it does not wait in the line
 */
public record NewSandbox(
    SandboxId id,
    String tenant,
    SandboxSpec spec,
    Tier tier,
    Owner owner,
    int attempt,
    Optional<String> request,
    Optional<Identity> identity,
    Consumer<Handle> alongside,
    Optional<Fork> fork) {

  /** A client's own, the first of its name, kept nowhere else, that begins empty. */
  public static NewSandbox of(SandboxId id, String tenant, SandboxSpec spec, Tier tier) {
    return new NewSandbox(
        id,
        tenant,
        spec,
        tier,
        new Owner.Client(),
        1,
        Optional.empty(),
        Optional.empty(),
        _ -> {},
        Optional.empty());
  }

  public NewSandbox owned(Owner by, int number) {
    return new NewSandbox(id, tenant, spec, tier, by, number, request, identity, alongside, fork);
  }

  public NewSandbox keeping(Optional<String> asked) {
    return new NewSandbox(id, tenant, spec, tier, owner, attempt, asked, identity, alongside, fork);
  }

  public NewSandbox named(Optional<Identity> by) {
    return new NewSandbox(id, tenant, spec, tier, owner, attempt, request, by, alongside, fork);
  }

  public NewSandbox with(Consumer<Handle> writes) {
    return new NewSandbox(id, tenant, spec, tier, owner, attempt, request, identity, writes, fork);
  }

  NewSandbox from(Fork source) {
    return new NewSandbox(
        id, tenant, spec, tier, owner, attempt, request, identity, alongside, Optional.of(source));
  }

  /**
   * @param target what the identity leads to from now on
   * @param whileLive it stops leading to a sandbox that has ended
   */
  public record Identity(Claim claim, String target, boolean whileLive) {}
}
