// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.batch;

/** A place in a text, counted from 1. */
record Mark(String source, int line, int column) {
  @Override
  public String toString() {
    return source + ":" + line + ":" + column;
  }
}
