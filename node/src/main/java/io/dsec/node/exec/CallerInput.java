// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.link.ProcessInput;
import io.dsec.model.Bytes;

/** An exec's input, for as long as one caller is there. */
public final class CallerInput implements ProcessInput {
  private final Exec exec;
  private volatile boolean closed;

  public CallerInput(Exec exec) {
    this.exec = exec;
  }

  @Override
  public long give(long offset, Bytes data, boolean end) {
    return exec.stdin(offset, data, end, () -> closed);
  }

  @Override
  public void close() {
    closed = true;
    exec.wake();
  }
}
