// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
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

  public List<String> rest() {
    List<String> all = new ArrayList<>();
    for (String line = next(); line != null; line = next()) {
      all.add(line);
    }
    return all;
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
