// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.channel;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Bytes of one frame. Valid until the reader goes on, unless a receiver takes it over with {@link
 * #keep}; then that receiver calls {@link #release} once.
 */
public final class Frame {
  private final ByteBuffer body;
  private final @Nullable BufferPool pool;
  private boolean kept;

  Frame(ByteBuffer body, @Nullable BufferPool pool) {
    this.body = body;
    this.pool = pool;
  }

  ByteBuffer body() {
    return body;
  }

  /** True when the receiver may take this frame over instead of copying from it. */
  public boolean keepable() {
    return pool != null;
  }

  public void keep() {
    if (pool == null) {
      throw new IllegalStateException("this frame lies in the reader's own buffer");
    }
    kept = true;
  }

  boolean kept() {
    return kept;
  }

  public void release() {
    if (pool != null) {
      pool.give(body);
    }
  }
}
