// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

/**
 * What placement counts and the node keeps free for a sandbox.
 *
 * @param cpu decimal cores
 * @param memory bytes
 */
public record Guarantee(double cpu, long memory) {
  public Guarantee {
    Check.between("guaranteed.cpu", cpu, 0, 1024);
    Check.between("guaranteed.memory", memory, 0, 1L << 50);
  }
}
