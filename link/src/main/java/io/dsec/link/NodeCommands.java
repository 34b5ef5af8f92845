// SPDX-License-Identifier: Apache-2.0
package io.dsec.link;

import io.dsec.model.Reason;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxSpec;
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
public interface NodeCommands extends ProcessCommands, FileCommands, PortCommands {
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

  /**
   * Freezes all processes of a sandbox; returns once they stand still. Nothing to do for one that
   * is paused. {@code TIMEOUT} when one does not stop in time: then it runs on.
   */
  SandboxReport pause(SandboxId id);

  /** Lets them run again. Nothing to do for one that runs. */
  SandboxReport resume(SandboxId id);

  /**
   * Comes before a call that needs processes to run: resumes a paused sandbox or, unless {@code
   * mayResume}, is a {@code CONFLICT} for it.
   */
  void wake(SandboxId id, boolean mayResume);

  /**
   * Copies the files that a sandbox has written, as they are at one moment: its processes stand
   * still meanwhile. The copy is for placements with a {@link Fork}; it goes with {@link
   * #dropCopy}, or a while later by itself. {@code NOT_SUPPORTED} where the layer cannot be copied.
   *
   * @param copy its name, of the caller's choice; one that exists is replaced
   * @param children that will be made from it, for the parent's trajectory
   * @return what the sandbox was made from
   */
  SandboxSpec copy(SandboxId parent, SandboxId copy, List<SandboxId> children);

  /** Safe to repeat. */
  void dropCopy(SandboxId copy);

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
