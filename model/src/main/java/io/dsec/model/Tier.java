// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

/** How strongly a sandbox is separated from its host, weakest first. */
public enum Tier {
  CONTAINER,
  GVISOR,
  MICROVM
}
