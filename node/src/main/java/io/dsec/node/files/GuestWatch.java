// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.files;

import io.dsec.link.FileWatch;
import io.dsec.model.FileChange;
import io.dsec.node.exec.AppletStream;
import io.dsec.proto.files.Reply;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A watch with an applet of its own. */
final class GuestWatch implements FileWatch {
  private final AppletStream applet;

  GuestWatch(AppletStream applet) {
    this.applet = applet;
  }

  @Override
  public @Nullable FileChange next(Duration limit) throws IOException {
    if (!applet.awaitInput(limit)) {
      return null;
    }
    Reply reply = FileFrames.receive(applet);
    if (!reply.hasChange()) {
      throw new IOException("the watch broke: " + reply.getFailed().getMessage());
    }
    return Entries.of(reply.getChange());
  }

  @Override
  public void close() {
    applet.close();
  }
}
