// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.files;

import io.dsec.node.exec.AppletStream;
import io.dsec.proto.files.Reply;
import io.dsec.proto.files.Request;
import java.io.IOException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A file applet that serves many small requests, one after the other. It starts with the first of
 * them; only requests wait for that.
 */
final class FileAgent {
  private final Supplier<AppletStream> start;
  private volatile @Nullable AppletStream applet;
  private volatile boolean closed;
  private volatile long lastUsed;

  FileAgent(Supplier<AppletStream> start, long now) {
    this.start = start;
    this.lastUsed = now;
  }

  /** An error means that the answer is not known, and that this agent is of no more use. */
  synchronized Reply ask(Request request, long now) throws IOException {
    lastUsed = now;
    AppletStream asked = applet;
    if (asked == null) {
      asked = start.get();
      applet = asked;
      if (closed) {
        asked.close();
      }
    }
    FileFrames.send(asked, request);
    return FileFrames.receive(asked);
  }

  boolean alive() {
    AppletStream started = applet;
    return !closed && (started == null || started.ending() == null);
  }

  long lastUsed() {
    return lastUsed;
  }

  void close() {
    closed = true;
    AppletStream started = applet;
    if (started != null) {
      started.close();
    }
  }
}
