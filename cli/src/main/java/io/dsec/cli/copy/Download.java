// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.copy;

import io.dsec.client.FileInfo;
import io.dsec.client.Files;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;

/** Out of a sandbox to here. */
public final class Download {
  private final Files files;
  private final CopyProgress progress;
  private final OutputStream standardOutput;

  public Download(Files files, CopyProgress progress, OutputStream standardOutput) {
    this.files = files;
    this.progress = progress;
    this.standardOutput = standardOutput;
  }

  public void copy(String source, String destination) throws IOException {
    FileInfo found = files.stat(source);
    if (destination.equals("-")) {
      progress.begin(source, found.size());
      try (InputStream in = progress.counting(files.read(source))) {
        in.transferTo(standardOutput);
      }
      standardOutput.flush();
      return;
    }
    Path local = Path.of(destination);
    boolean contents = source.endsWith("/.");
    String name = RemotePath.name(source.endsWith("/") ? source.replaceAll("/+$", "") : source);
    Path target =
        java.nio.file.Files.isDirectory(local) && !contents && !name.isEmpty()
            ? local.resolve(name)
            : local;
    if (found.isDirectory()) {
      progress.begin(source, -1);
      try (InputStream in = progress.counting(files.pack(source))) {
        SafeUnpacker.unpack(in, target);
      }
    } else {
      file(source, found, target);
    }
  }

  /** Beside the target first, so that a copy that breaks leaves what was there. */
  private void file(String source, FileInfo found, Path target) throws IOException {
    progress.begin(source, found.size());
    Path whole = target.toAbsolutePath();
    Path partial = java.nio.file.Files.createTempFile(whole.getParent(), ".dsec-", ".part");
    try (InputStream in = progress.counting(files.read(source))) {
      java.nio.file.Files.copy(in, partial, StandardCopyOption.REPLACE_EXISTING);
      java.nio.file.Files.setAttribute(
          partial, "unix:mode", found.permissions() & SafeUnpacker.PERMISSIONS);
      java.nio.file.Files.setLastModifiedTime(partial, FileTime.from(found.modifiedAt()));
      java.nio.file.Files.move(partial, whole, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      java.nio.file.Files.deleteIfExists(partial);
    }
  }
}
