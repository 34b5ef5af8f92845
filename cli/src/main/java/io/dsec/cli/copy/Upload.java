// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.copy;

import io.dsec.client.FileInfo;
import io.dsec.client.Files;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;

/** From here into a sandbox. */
public final class Upload {
  private static final int PIPE = 256 << 10;

  private final Files files;
  private final CopyProgress progress;
  private final InputStream standardInput;

  public Upload(Files files, CopyProgress progress, InputStream standardInput) {
    this.files = files;
    this.progress = progress;
    this.standardInput = standardInput;
  }

  public void copy(String source, String destination) throws IOException {
    if (source.equals("-")) {
      progress.begin(destination, -1);
      FileInfo _ = files.write(destination, progress.counting(standardInput), -1, null);
      return;
    }
    Path local = Path.of(source);
    if (!java.nio.file.Files.exists(local)) {
      throw DsecException.of(ErrorCode.NOT_FOUND, "%s does not exist".formatted(source));
    }
    String name = fileName(local);
    boolean contents = source.endsWith("/.") || source.equals(".");
    Optional<FileInfo> there = look(destination);
    boolean below = destination.endsWith("/") || there.filter(FileInfo::isDirectory).isPresent();
    String target = below && !contents ? RemotePath.join(destination, name) : destination;
    if (java.nio.file.Files.isDirectory(local)) {
      directory(local, target);
    } else {
      file(local, target);
    }
  }

  private static String fileName(Path local) throws IOException {
    return String.valueOf(local.toRealPath().getFileName());
  }

  private Optional<FileInfo> look(String path) {
    try {
      return Optional.of(files.stat(path));
    } catch (DsecException e) {
      if (e.code() == ErrorCode.NOT_FOUND && e.field().isPresent()) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private void file(Path local, String target) throws IOException {
    long size = java.nio.file.Files.size(local);
    progress.begin(String.valueOf(local.getFileName()), size);
    try (InputStream in = progress.counting(java.nio.file.Files.newInputStream(local))) {
      FileInfo _ = files.write(target, in, size, mode(local));
    }
  }

  private static String mode(Path local) throws IOException {
    Integer mode = (Integer) java.nio.file.Files.getAttribute(local, "unix:mode");
    return "%04o".formatted(Objects.requireNonNull(mode) & SafeUnpacker.PERMISSIONS);
  }

  /** The tar is made by one thread while another sends it. */
  private void directory(Path local, String target) throws IOException {
    progress.begin(local.toString(), LocalTree.size(local));
    PipedInputStream in = new PipedInputStream(PIPE);
    LocalTree.Packing packing = LocalTree.pack(local, new PipedOutputStream(in));
    try {
      long _ = files.unpack(target, progress.counting(new LocalTree.Checked(in, packing)));
    } finally {
      in.close();
      packing.awaitEnd();
    }
    packing.check();
  }
}
