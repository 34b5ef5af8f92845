// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.copy;

import io.dsec.cli.term.Figures;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;

/** One line of a terminal that says how far a copy is. */
public final class CopyProgress implements AutoCloseable {
  private static final long REDRAW_NANOS = 200_000_000;
  private static final String CLEAR = "\r\u001b[K";

  private final PrintStream err;
  private final boolean shown;
  private final long began = System.nanoTime();
  private long drawn = began;
  private long done;
  private long total = -1;
  private String name = "";

  public CopyProgress(PrintStream err, boolean shown) {
    this.err = err;
    this.shown = shown;
  }

  /** {@code bytes}: what will come in all; negative when that is not known. */
  void begin(String what, long bytes) {
    name = what;
    total = bytes;
  }

  private void moved(int count) {
    done += Math.max(0, count);
    long now = System.nanoTime();
    if (shown && now - drawn >= REDRAW_NANOS) {
      drawn = now;
      String part = total > 0 ? "  %d %%".formatted(Math.min(100, 100 * done / total)) : "";
      double rate = done * 1e9 / (now - began);
      err.print(
          CLEAR
              + name
              + "  "
              + Figures.size(done)
              + part
              + "  "
              + Figures.size((long) rate)
              + "/s");
      err.flush();
    }
  }

  /** Counts what is read. */
  InputStream counting(InputStream in) {
    return new FilterInputStream(in) {
      @Override
      public int read() throws IOException {
        int got = super.read();
        moved(got < 0 ? 0 : 1);
        return got;
      }

      @Override
      public int read(byte[] into, int from, int count) throws IOException {
        int got = super.read(into, from, count);
        moved(got);
        return got;
      }
    };
  }

  @Override
  public void close() {
    if (shown) {
      err.print(CLEAR);
      err.flush();
    }
  }
}
