// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

/** A ceiling that an exec ran into ({@code limits_hit}). */
public enum Limit {
  DISK,
  PIDS,
  MEMORY,
  OUTPUT
}
