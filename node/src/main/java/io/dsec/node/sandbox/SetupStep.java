// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

/** One step of a sandbox's set-up. The undo may be repeated, and may come without the run. */
interface SetupStep {
  /** Short, of a closed set: it is a label of metrics. */
  String name();

  /** May begin, on another thread, what {@link #run} then waits for. */
  default void begin() {}

  void run();

  void undo();
}
