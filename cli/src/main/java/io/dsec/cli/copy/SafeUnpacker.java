// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.copy;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/**
 * Unpacks a tar from a sandbox below a directory of this machine. What it holds is made by hostile
 * code: no entry gets outside, neither by its name nor through a link, and none is set-uid.
 */
final class SafeUnpacker {
  private static final int BUFFER = 256 << 10;
  static final int PERMISSIONS = 0777;

  private final Path top;
  private final LinkedHashMap<Path, TarArchiveEntry> directories = new LinkedHashMap<>();

  private SafeUnpacker(Path top) {
    this.top = top;
  }

  static void unpack(InputStream archive, Path target) throws IOException {
    Files.createDirectories(target);
    SafeUnpacker unpacker = new SafeUnpacker(target.toRealPath());
    try (TarArchiveInputStream tar =
        new TarArchiveInputStream(new BufferedInputStream(archive, BUFFER), "UTF-8")) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        unpacker.add(tar, entry);
      }
    }
    unpacker.finish();
  }

  private void add(InputStream content, TarArchiveEntry entry) throws IOException {
    Path place = place(entry.getName(), entry);
    if (place.equals(top)) {
      return;
    }
    if (entry.isDirectory()) {
      directory(place, entry);
      return;
    }
    Path parent = place.getParent();
    if (parent == null) {
      throw outside(entry);
    }
    make(parent, entry);
    if (!Files.isDirectory(place, LinkOption.NOFOLLOW_LINKS)) {
      Files.deleteIfExists(place);
    }
    if (entry.isSymbolicLink()) {
      Files.createSymbolicLink(place, Path.of(entry.getLinkName()));
    } else if (entry.isLink()) {
      Path linked = place(entry.getLinkName(), entry);
      if (!linked.toRealPath().startsWith(top)) {
        throw outside(entry);
      }
      Files.createLink(place, linked);
    } else if (entry.isFile()) {
      Files.copy(content, place);
      settle(place, entry);
    }
  }

  /** Names are relative, and do not go up. */
  private Path place(String name, TarArchiveEntry entry) {
    Path relative = Path.of(name).normalize();
    Path place = top.resolve(relative).normalize();
    if (relative.isAbsolute() || !place.startsWith(top)) {
      throw outside(entry);
    }
    return place;
  }

  private void directory(Path place, TarArchiveEntry entry) throws IOException {
    make(place, entry);
    directories.put(place, entry);
  }

  /** Makes what is missing of a directory below the top; links on the way may not lead out. */
  private void make(Path place, TarArchiveEntry entry) throws IOException {
    Path reached = top;
    if (place.equals(top)) {
      return;
    }
    for (Path name : top.relativize(place)) {
      reached = reached.resolve(name);
      if (!Files.exists(reached, LinkOption.NOFOLLOW_LINKS)) {
        Files.createDirectory(reached);
      } else if (!Files.isDirectory(reached)) {
        throw DsecException.of(
            ErrorCode.CONFLICT, "%s is there and no directory".formatted(reached));
      }
      if (!reached.toRealPath().startsWith(top)) {
        throw outside(entry);
      }
    }
  }

  private void finish() throws IOException {
    for (Map.Entry<Path, TarArchiveEntry> one : directories.sequencedEntrySet().reversed()) {
      if (Files.isDirectory(one.getKey(), LinkOption.NOFOLLOW_LINKS)) {
        settle(one.getKey(), one.getValue());
      }
    }
  }

  private static void settle(Path place, TarArchiveEntry entry) throws IOException {
    FileTime time = entry.getLastModifiedTime();
    Files.setLastModifiedTime(place, time);
    Files.setAttribute(place, "unix:mode", entry.getMode() & PERMISSIONS);
  }

  private DsecException outside(TarArchiveEntry entry) {
    return DsecException.of(
        ErrorCode.FORBIDDEN,
        "the sandbox sent an entry \"%s\" that leads out of %s; it was not unpacked"
            .formatted(entry.getName(), top));
  }
}
