// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.disk;

import io.dsec.model.SandboxId;
import java.util.Set;

/** Writable layers of one node. A back end that cannot bound the size is no back end. */
public interface WritableLayers {
  /** The mechanism: {@code btrfs}, {@code project-quota}, {@code ext4-image}, {@code tmpfs}. */
  String name();

  /** Makes the pool if need be. Safe to repeat, also after a crash. */
  void prepare();

  /** An empty layer that refuses writes beyond {@code bytes}. Safe to repeat. */
  WritableLayer create(SandboxId id, long bytes);

  /**
   * A layer with the files of {@code from}, which nobody writes meanwhile, and a limit of its own.
   * Replaces what is there. Bounded in time.
   *
   * @throws io.dsec.model.DsecException {@code NOT_SUPPORTED} with the reason
   */
  WritableLayer copy(SandboxId from, SandboxId to, long bytes);

  /** Bytes in use. */
  long used(SandboxId id);

  /** Gives the layer back. Safe to repeat, and with parts missing. */
  void destroy(SandboxId id);

  /** Layers that exist, owned by a record or not. */
  Set<SandboxId> present();

  /** Takes the pool down (unmounts, frees loop devices); data of live layers stays on disk. */
  void dispose();
}
