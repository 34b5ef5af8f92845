// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.copy;

import java.io.BufferedOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.jspecify.annotations.Nullable;

/**
 * A directory of this machine as tar: files, directories and links; what else there is, is left.
 */
final class LocalTree {
  private static final int BUFFER = 256 << 10;

  private LocalTree() {}

  static long size(Path top) throws IOException {
    try (Stream<Path> all = Files.walk(top)) {
      return all.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
          .mapToLong(file -> file.toFile().length())
          .sum();
    }
  }

  /** A tar in the making; what went wrong is told at its end. */
  static final class Packing {
    private final Thread thread;
    private volatile @Nullable IOException failure;

    private Packing(Path top, OutputStream out) {
      thread = Thread.ofVirtual().start(() -> run(top, out));
    }

    private void run(Path top, OutputStream out) {
      try (out) {
        write(top, out);
      } catch (IOException e) {
        failure = e;
      }
    }

    void awaitEnd() {
      try {
        thread.join();
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
      }
    }

    void check() throws IOException {
      IOException e = failure;
      if (e != null) {
        throw e;
      }
    }
  }

  static Packing pack(Path top, OutputStream out) {
    return new Packing(top, out);
  }

  /** Ends with the failure of the tar's maker rather than as if it were complete. */
  static final class Checked extends FilterInputStream {
    private final Packing packing;

    Checked(InputStream in, Packing packing) {
      super(in);
      this.packing = packing;
    }

    @Override
    public int read(byte[] into, int from, int count) throws IOException {
      int got = super.read(into, from, count);
      if (got < 0) {
        packing.check();
      }
      return got;
    }
  }

  private static void write(Path top, OutputStream out) throws IOException {
    try (TarArchiveOutputStream tar =
            new TarArchiveOutputStream(new BufferedOutputStream(out, BUFFER), "UTF-8");
        Stream<Path> all = Files.walk(top)) {
      tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
      tar.setBigNumberMode(TarArchiveOutputStream.BIGNUMBER_POSIX);
      tar.setAddPaxHeadersForNonAsciiNames(true);
      for (Path file : (Iterable<Path>) all::iterator) {
        if (!file.equals(top)) {
          add(tar, file, top.relativize(file).toString());
        }
      }
    }
  }

  private static void add(TarArchiveOutputStream tar, Path file, String name) throws IOException {
    Map<String, Object> found =
        Files.readAttributes(file, "unix:mode,size,lastModifiedTime", LinkOption.NOFOLLOW_LINKS);
    TarArchiveEntry entry;
    if (Files.isSymbolicLink(file)) {
      entry = new TarArchiveEntry(name, TarConstants.LF_SYMLINK);
      entry.setLinkName(Files.readSymbolicLink(file).toString());
    } else if (Files.isDirectory(file)) {
      entry = new TarArchiveEntry(name + "/");
    } else if (Files.isRegularFile(file)) {
      entry = new TarArchiveEntry(name);
      entry.setSize(Files.size(file));
    } else {
      return;
    }
    entry.setMode((Integer) Objects.requireNonNull(found.get("mode")) & 07777);
    entry.setLastModifiedTime((FileTime) Objects.requireNonNull(found.get("lastModifiedTime")));
    tar.putArchiveEntry(entry);
    if (entry.isFile() && !entry.isSymbolicLink()) {
      try (InputStream in = Files.newInputStream(file)) {
        in.transferTo(tar);
      }
    }
    tar.closeArchiveEntry();
  }
}
