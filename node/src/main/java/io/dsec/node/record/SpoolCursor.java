// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import io.dsec.link.TrajectoryCursor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads lines that are in the file for good. While it waits for more it holds neither a file nor a
 * buffer.
 */
final class SpoolCursor implements TrajectoryCursor {
  private static final Logger LOG = LoggerFactory.getLogger(SpoolCursor.class);

  private final LineReader lines;
  private final @Nullable SpooledRecorder live;
  private final boolean follow;
  private long end;
  private long skip;
  private volatile boolean closed;

  /**
   * @param end bytes that are whole lines now
   * @param live the recorder to wait for, when following
   */
  SpoolCursor(
      LineReader lines, long end, long fromSeq, @Nullable SpooledRecorder live, boolean follow) {
    this.lines = lines;
    this.end = end;
    this.skip = Math.max(0, fromSeq - 1);
    this.live = live;
    this.follow = follow;
  }

  @Override
  public @Nullable String next() {
    try {
      while (!closed) {
        if (lines.next(end)) {
          if (skip > 0) {
            skip--;
            continue;
          }
          int from = lines.from();
          return new String(lines.bytes(), from, lines.to() - from, StandardCharsets.UTF_8);
        }
        lines.rest();
        if (!more()) {
          return null;
        }
      }
    } catch (IOException e) {
      if (!closed) {
        LOG.info("a trajectory cannot be read further: {}", e.toString());
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
    return null;
  }

  /** Waits for further lines; false when there will be none. */
  private boolean more() throws InterruptedException {
    SpooledRecorder recorder = live;
    if (recorder == null || !follow) {
      return false;
    }
    recorder.await(end, () -> closed);
    long now = recorder.written();
    boolean grown = now > end;
    end = now;
    return grown && !closed;
  }

  @Override
  public void close() {
    closed = true;
    try {
      lines.close();
    } catch (IOException e) {
      LOG.info("a trajectory cannot be closed: {}", e.toString());
    }
    if (live != null) {
      live.wake();
    }
  }
}
