// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

import java.util.EnumSet;
import java.util.Set;

/**
 * Life of a sandbox.
 *
 * <pre>
 *  from       to
 *  QUEUED     PLACING STOPPING FAILED
 *  PLACING    PREPARING QUEUED STOPPING FAILED
 *  PREPARING  RUNNING STOPPING FAILED
 *  RUNNING    PAUSED STOPPING FAILED
 *  PAUSED     RUNNING STOPPING FAILED
 *  STOPPING   GONE FAILED
 *  FAILED     GONE
 *  GONE       (none)
 * </pre>
 */
public enum SandboxState {
  QUEUED,
  PLACING,
  PREPARING,
  RUNNING,
  PAUSED,
  STOPPING,
  FAILED,
  GONE;

  public boolean mayBecome(SandboxState next) {
    return successors().contains(next);
  }

  /** Holds kernel objects on a node. */
  public boolean live() {
    return this == PREPARING || this == RUNNING || this == PAUSED || this == STOPPING;
  }

  private Set<SandboxState> successors() {
    return switch (this) {
      case QUEUED -> EnumSet.of(PLACING, STOPPING, FAILED);
      case PLACING -> EnumSet.of(PREPARING, QUEUED, STOPPING, FAILED);
      case PREPARING -> EnumSet.of(RUNNING, STOPPING, FAILED);
      case RUNNING -> EnumSet.of(PAUSED, STOPPING, FAILED);
      case PAUSED -> EnumSet.of(RUNNING, STOPPING, FAILED);
      case STOPPING -> EnumSet.of(GONE, FAILED);
      case FAILED -> EnumSet.of(GONE);
      case GONE -> EnumSet.noneOf(SandboxState.class);
    };
  }
}
