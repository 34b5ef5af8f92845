// SPDX-License-Identifier: Apache-2.0
package io.dsec.link;

import io.dsec.model.Bytes;

/** The input of a process, for one caller. Give from one thread; close from any. */
public interface ProcessInput extends AutoCloseable {
  /**
   * Gives input; waits while the process does not read. What was received before counts once.
   *
   * @param offset of {@code data} in the input, at most what was received so far; negative: there
   * @param end end-of-file follows
   * @return bytes received in all
   * @throws io.dsec.model.DsecException {@code CONFLICT} also when it would wait and the caller has
   *     left: nothing of {@code data} was taken then
   */
  long give(long offset, Bytes data, boolean end);

  /** The caller has left: who waits in {@link #give} does no longer. The input stays open. */
  @Override
  void close();
}
