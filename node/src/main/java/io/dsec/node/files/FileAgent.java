// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.files;

import io.dsec.node.exec.AppletStream;
import io.dsec.proto.files.Reply;
import io.dsec.proto.files.Request;
import java.io.IOException;

/** A file applet that serves many small requests, one after the other. */
final class FileAgent {
  private final AppletStream applet;
  private volatile long lastUsed;

  FileAgent(AppletStream applet, long now) {
    this.applet = applet;
    this.lastUsed = now;
  }

  /** An error means that the answer is not known, and that this agent is of no more use. */
  synchronized Reply ask(Request request, long now) throws IOException {
    lastUsed = now;
    FileFrames.send(applet, request);
    return FileFrames.receive(applet);
  }

  boolean alive() {
    return applet.ending() == null;
  }

  long lastUsed() {
    return lastUsed;
  }

  void close() {
    applet.close();
  }
}
