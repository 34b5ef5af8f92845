// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.sandbox;

/** Told of sandboxes that run a task. Calls come on virtual threads and may block. */
public interface Owners {
  /** It left the queue and runs. */
  void running(Sandbox sandbox);

  /**
   * Its main command ended: called once, and back only when the end is stored. For a sandbox whose
   * server restarted in between it may come twice.
   */
  void ended(Sandbox sandbox, TaskEnd end);
}
