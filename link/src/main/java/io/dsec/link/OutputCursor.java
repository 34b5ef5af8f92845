// SPDX-License-Identifier: Apache-2.0
package io.dsec.link;

import io.dsec.model.Bytes;
import org.jspecify.annotations.Nullable;

/** Reads one output stream of a process in order. Use from one thread; close from any. */
public interface OutputCursor extends AutoCloseable {
  /**
   * Some bytes of the stream.
   *
   * @param offset of the first of them in the stream; beyond the end of the piece before where
   *     bytes are no longer kept
   */
  record Piece(long offset, Bytes data) {}

  /** Where the next bytes begin, if they are kept still. */
  long offset();

  /** The next bytes; null at the end of what there is, when following at the stream's end. */
  @Nullable Piece next();

  @Override
  void close();
}
