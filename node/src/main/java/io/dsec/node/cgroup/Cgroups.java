// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.cgroup;

import io.dsec.model.Resources;
import io.dsec.model.SandboxId;
import java.time.Duration;
import java.util.Set;

/**
 * Control groups of one node. All lie under the node's own prefix, so that nodes on one host never
 * touch each other's. Per sandbox there is a tree
 *
 * <pre>
 *   v2   PREFIX/sandboxes/ID/{init,work/e-N}    kill, freeze, list; limits too where v2 has controllers
 *   v1   PREFIX/sandboxes/ID in cpu, memory, pids (memory: ID/e-N per exec)
 * </pre>
 *
 * The limits sit on {@code work} (v2) or on {@code ID} (v1) and bind what users start; each
 * sandbox's init stays in {@code PREFIX/guests}, outside of them. {@code PREFIX/sandboxes} caps all
 * sandboxes together.
 */
public interface Cgroups {
  /** Makes the node's own groups; puts the calling process aside when asked to. Safe to repeat. */
  void prepare();

  /** Moves a process (the launcher) to {@code PREFIX/guests} in every hierarchy. */
  void joinGuests(long pid);

  /** Makes the groups of a sandbox with its limits. Safe to repeat. */
  SandboxGroups create(SandboxId id, Resources limits);

  /** Kills every process of a sandbox, its init too. Safe to repeat; does not wait. */
  void kill(SandboxId id);

  /** Kills every process of one exec. Safe to repeat; does not wait. */
  void killExec(SandboxId id, long exec);

  /** Stops all processes of users; false when one does not stop in time. Safe to repeat. */
  boolean freeze(SandboxId id, Duration limit);

  /** Lets them run again. Safe to repeat, also when the sandbox is gone. */
  void thaw(SandboxId id);

  /** Gives memory back that the kernel can take from a frozen sandbox; may block for long. */
  void reclaim(SandboxId id);

  /** True when no process is left in the sandbox. */
  boolean empty(SandboxId id);

  /** Removes the groups of an empty sandbox. Safe to repeat. */
  void remove(SandboxId id);

  /** Sandboxes that have groups, owned by a record or not. */
  Set<SandboxId> present();

  SandboxUsage usage(SandboxId id);

  /** How often the pids limit has refused a fork of this sandbox. */
  long pidsRefused(SandboxId id);

  /** Removes the node's own groups, when empty. */
  void dispose();
}
