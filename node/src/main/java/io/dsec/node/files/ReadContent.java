// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.files;

import io.dsec.link.FileContent;
import io.dsec.model.FileEntry;
import io.dsec.node.exec.AppletStream;
import io.dsec.node.exec.PieceInput;
import io.dsec.proto.files.Opened;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/** What was asked of a file: with its answer, or following it over an applet of its own. */
record ReadContent(
    FileEntry entry, long from, long count, InputStream bytes, @Nullable AppletStream applet)
    implements FileContent {
  static FileContent of(Opened opened, @Nullable AppletStream applet) throws IOException {
    FileEntry entry = Entries.of(opened.getEntry());
    if (opened.getUnsatisfiable()) {
      return new ReadContent(entry, -1, 0, InputStream.nullInputStream(), applet);
    }
    long from = Math.max(0, opened.getFrom());
    if (opened.getComplete()) {
      InputStream data = opened.getData().newInput();
      return new ReadContent(entry, from, opened.getData().size(), data, applet);
    }
    if (applet == null || opened.getCount() <= 0) {
      throw new IOException("the guest announces content that cannot come");
    }
    return new ReadContent(entry, from, opened.getCount(), pieces(applet), applet);
  }

  /** Content in pieces; a failure on the way is an error of the stream. */
  static InputStream pieces(AppletStream applet) {
    return new PieceInput(applet) {
      @Override
      protected IOException givenUp() throws IOException {
        return new IOException(FileFrames.receive(applet).getFailed().getMessage());
      }
    };
  }

  @Override
  public void close() {
    if (applet != null) {
      applet.close();
    }
  }
}
