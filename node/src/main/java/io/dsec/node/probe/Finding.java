// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.probe;

/**
 * One thing looked at.
 *
 * @param name for instance {@code disk.btrfs}
 * @param required whether the node cannot run sandboxes without it
 * @param detail what was found, or why not
 * @param hint what to do; empty when {@code ok} or when nothing helps
 */
public record Finding(String name, boolean ok, boolean required, String detail, String hint) {
  /** {@code ok} as far as running sandboxes goes. */
  public boolean acceptable() {
    return ok || !required;
  }
}
