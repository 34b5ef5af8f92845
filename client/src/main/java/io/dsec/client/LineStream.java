// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import java.io.IOException;
import java.io.InputStream;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/** Lines of a reply, as they come. Use from one thread; close from any. */
public final class LineStream implements AutoCloseable {
  private final InputStream in;
  private final LineReader lines;
  private final Transport transport;
  private final String call;

  LineStream(InputStream in, Transport transport, String call) {
    this.in = in;
    this.lines = new LineReader(in);
    this.transport = transport;
    this.call = call;
  }

  /** The next line that is not empty, without its newline; null at the end. */
  public @Nullable String next() {
    try {
      while (lines.next()) {
        if (lines.end() > lines.start()) {
          return lines.text();
        }
      }
      return null;
    } catch (IOException e) {
      throw transport.lost(call, e);
    }
  }

  /** The lines still to come, read as they are asked for. */
  public Iterator<String> rest() {
    return new Iterator<>() {
      private @Nullable String ahead = LineStream.this.next();

      @Override
      public boolean hasNext() {
        return ahead != null;
      }

      @Override
      public String next() {
        String line = ahead;
        if (line == null) {
          throw new NoSuchElementException();
        }
        ahead = LineStream.this.next();
        return line;
      }
    };
  }

  @Override
  public void close() {
    try {
      in.close();
    } catch (IOException e) {
      throw transport.lost(call, e);
    }
  }
}
