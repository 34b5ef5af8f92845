// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.idrange;

import io.dsec.model.SandboxId;

/** Hands out ranges of 65,536 host ids; no two live sandboxes of this host share one. */
public interface IdRanges {
  int SIZE = 65_536;

  /** First id of the sandbox's range. The same id again gives the same range. */
  int acquire(SandboxId id);

  /** After a restart: this sandbox holds the range that begins at {@code base}. */
  void adopt(SandboxId id, int base);

  /** Safe to repeat. */
  void release(SandboxId id);
}
