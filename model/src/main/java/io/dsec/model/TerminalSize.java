// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

/** Of a terminal, in characters. */
public record TerminalSize(int cols, int rows) {
  public static final TerminalSize DEFAULT = new TerminalSize(80, 24);
  private static final int MAX = 1000;

  public TerminalSize {
    Check.between("cols", cols, 1, MAX);
    Check.between("rows", rows, 1, MAX);
  }
}
