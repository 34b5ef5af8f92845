// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.jspecify.annotations.Nullable;

/**
 * The file of one recording, opened by the first write. Guarded by its recorder's lock. Not a
 * {@code FileChannel}: that is closed when the thread that writes is interrupted.
 */
final class SpoolFile {
  private final Path path;
  private final OpenFiles files;
  private @Nullable RandomAccessFile file;
  private boolean used;

  SpoolFile(Path path, OpenFiles files) {
    this.path = path;
    this.files = files;
  }

  Path path() {
    return path;
  }

  /**
   * Writes at a position, over whatever an earlier failed write left there.
   *
   * @return whether the file is open now and was not before
   */
  boolean write(byte[] data, int length, long at) throws IOException {
    RandomAccessFile out = file;
    if (out != null) {
      used = true;
      put(out, data, length, at);
      return false;
    }
    out = open(at);
    if (files.tryKeep()) {
      file = out;
      used = true;
      put(out, data, length, at);
      return true;
    }
    try (RandomAccessFile once = out) {
      put(once, data, length, at);
    }
    return false;
  }

  void truncate(long length) throws IOException {
    try (RandomAccessFile out = new RandomAccessFile(path.toFile(), "rw")) {
      out.setLength(length);
    }
  }

  /** Closes the file when it was not used since the last call; returns whether it is closed. */
  boolean closeIdle() {
    if (!used) {
      close();
    }
    used = false;
    return file == null;
  }

  void close() {
    RandomAccessFile out = file;
    if (out == null) {
      return;
    }
    file = null;
    files.closed();
    try {
      out.close();
    } catch (IOException _) {
      // Nothing is buffered here: what was written is in the page cache.
    }
  }

  private static void put(RandomAccessFile out, byte[] data, int length, long at)
      throws IOException {
    out.seek(at);
    out.write(data, 0, length);
  }

  private RandomAccessFile open(long at) throws IOException {
    if (at == 0) {
      try {
        Files.createFile(
            path,
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
      } catch (FileAlreadyExistsException _) {
        // An empty file, or one that a failed write left.
      }
    }
    RandomAccessFile out = new RandomAccessFile(path.toFile(), "rw");
    long length = out.length();
    if (length < at) {
      out.close();
      throw new IOException(
          "%s has %d bytes where %d were written; it was changed by someone else"
              .formatted(path, length, at));
    }
    return out;
  }
}
