// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import io.dsec.link.TrajectoryCursor;
import io.dsec.model.RecordMode;
import io.dsec.model.SandboxId;
import java.util.Collection;

/** All trajectories kept on this node. */
public interface Recordings {
  /**
   * Opens the writer of a sandbox; continues after the last whole event when a file is there (a
   * torn tail is cut and told by a {@code record.gap}).
   *
   * @param secrets values that never reach the disk
   */
  Recorder open(SandboxId id, RecordMode mode, Collection<String> secrets);

  /**
   * @throws io.dsec.model.DsecException {@code NOT_FOUND} when nothing is kept of this sandbox
   */
  TrajectoryCursor read(SandboxId id, long fromSeq, boolean follow);

  /**
   * Removes trajectories that are past their time or beyond the size that all may take; live ones
   * stay.
   */
  void sweep();
}
