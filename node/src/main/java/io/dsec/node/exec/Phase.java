// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

/** Where an exec stands; it only ever moves down this list. */
enum Phase {
  /** init has not said that it runs. */
  STARTING,
  RUNNING,
  /** Ended, but a child still holds a stream of it: output may follow. */
  LINGERING,
  /** Ended, and all of its output is here. */
  OVER,
  /** init was told to forget it. */
  RELEASED;

  boolean ended() {
    return compareTo(LINGERING) >= 0;
  }

  /** Whether output may follow. */
  boolean open() {
    return compareTo(LINGERING) <= 0;
  }
}
