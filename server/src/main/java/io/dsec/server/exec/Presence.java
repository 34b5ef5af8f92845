// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.exec;

/** Whether whoever made the current thread's call is there still. */
@FunctionalInterface
public interface Presence {
  /** Runs {@code gone} once the caller has left, unless the result was closed before. */
  Watch watch(Runnable gone);

  /** Closing it ends the watch. */
  interface Watch extends AutoCloseable {
    @Override
    void close();
  }
}
