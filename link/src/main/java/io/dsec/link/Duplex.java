// SPDX-License-Identifier: Apache-2.0
package io.dsec.link;

import java.io.InputStream;
import java.io.OutputStream;

/**
 * Both directions of a connection with something inside a sandbox. Each direction is for one thread
 * at a time; both work at once, and each waits for the other side's pace. Close from any thread.
 */
public interface Duplex extends AutoCloseable {
  /**
   * What comes from inside; its end is the other side's end of sending. A connection that broke is
   * an {@code IOException}.
   */
  InputStream input();

  /** What goes inside; closing it ends this direction and leaves the other. */
  OutputStream output();

  /** Drops both directions at once. Safe to repeat. */
  @Override
  void close();
}
