// SPDX-License-Identifier: Apache-2.0
package io.dsec.link;

import org.jspecify.annotations.Nullable;

/** Reads the lines of one trajectory in order. Use from one thread; close from any. */
public interface TrajectoryCursor extends AutoCloseable {
  /** The next event as its JSON line without the newline; null at the end. Waits when following. */
  @Nullable String next();

  @Override
  void close();
}
