// SPDX-License-Identifier: Apache-2.0
package io.dsec.link;

import io.dsec.model.Reason;
import io.dsec.model.SandboxId;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What a server may ask of one node. Every call blocks, may come from any (virtual) thread, and is
 * safe to repeat. Errors are {@link io.dsec.model.DsecException}: {@code NO_CAPACITY} (the node has
 * the last word on what fits), {@code TIER_UNAVAILABLE}, {@code IMAGE_NOT_FOUND}, {@code
 * SANDBOX_FAILED} with the step that failed, {@code NOT_FOUND} and {@code GONE} for ids.
 */
public interface NodeCommands extends ProcessCommands {
  /** Who this node is and what it offers. */
  NodeInfo info();

  /**
   * Admits and starts a sandbox; returns once its init answers, and for a task once the main
   * command was handed to it. The same id again gives the same answer. A failed start leaves
   * nothing behind.
   */
  Placed place(Placement placement);

  /**
   * Ends a sandbox; true when it was there. Processes get TERM and {@code grace} first when that is
   * not zero. Returns when nobody can see it any more; the last tear-down steps may still run.
   */
  boolean remove(SandboxId id, Duration grace, Reason reason);

  /** Moves the absolute end of a sandbox. */
  void renew(SandboxId id, Instant expiresAt);

  Optional<SandboxReport> report(SandboxId id);

  /** All sandboxes that this node still has a record of. */
  List<SandboxReport> reports();

  /** The server has stored the end of this sandbox: the node may drop its record. */
  void acknowledge(SandboxId id);

  /**
   * Lines of a trajectory from {@code fromSeq} on, also after the sandbox is gone while they are
   * kept.
   */
  TrajectoryCursor trajectory(SandboxId id, long fromSeq, boolean follow);
}
