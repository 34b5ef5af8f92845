// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.batch;

import java.util.OptionalInt;

/** Which task comes next. Used under the lock of its batch. */
interface Order {
  /** A task that may start now, each once; empty while it takes an ending to free the next. */
  OptionalInt next();

  /** This task ended for good. */
  void ended(int task);

  /** This task is to be given out once more. */
  void again(int task);
}
