// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

/**
 * Why a sandbox is in its state, or why an exec ended as it did. Closed: a new cause is a new
 * constant.
 *
 * <p>{@link #platform()} tells faults of DSec from what the program or its user did; training code
 * masks the first and scores the second.
 */
public enum Reason {
  // what the program or the user did
  REQUESTED(false),
  FINISHED(false),
  TTL_EXPIRED(false),
  TASK_TIMEOUT(false),
  IDLE_TIMEOUT(false),
  /** A call that needs its processes resumed a paused sandbox. */
  WOKEN(false),
  CANCELLED(false),
  BAD_CWD(false),
  PROGRAM_NOT_FOUND(false),
  NOT_EXECUTABLE(false),
  BAD_USER(false),
  INVALID_COMMAND(false),
  IMAGE_NOT_FOUND(false),
  FILES_REFUSED(false),
  DEPENDENCY_FAILED(false),
  TOO_MANY_EXECS(false),
  SESSION_BUSY(false),
  SESSION_ENDED(false),
  // what the platform did
  SETUP_FAILED(true),
  NO_CAPACITY(true),
  TIER_UNAVAILABLE(true),
  RECLAIMED(true),
  NODE_RESTARTED(true),
  NODE_STOPPED(true),
  NODE_LOST(true),
  INIT_DIED(true),
  CHANNEL_BROKEN(true),
  EXEC_RESOURCES(true),
  SERVER_STOPPED(true),
  SERVER_RESTARTED(true);

  private final boolean platform;

  Reason(boolean platform) {
    this.platform = platform;
  }

  public boolean platform() {
    return platform;
  }
}
