// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

/** Scheduling class, most urgent first. */
public enum Priority {
  ONLINE,
  BATCH,
  REPLAY
}
