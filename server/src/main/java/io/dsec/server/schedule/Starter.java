// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.schedule;

import io.dsec.model.DsecException;

/** Acts on the scheduler's choices. */
public interface Starter<W> {
  /** No node has room now; it keeps its place in the line. */
  void waits(W work, String why);

  /** It was withdrawn while the scheduler held it, and left the line. */
  void withdrawn(W work);

  /**
   * Starts the work on this node and comes back once it runs, ended or was given up. Called on a
   * virtual thread of its own.
   *
   * @throws DsecException {@code no_capacity} when the node has no room after all: the work will be
   *     offered again
   */
  void start(W work, Member node);
}
