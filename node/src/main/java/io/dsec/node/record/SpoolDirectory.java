// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import io.dsec.model.DsecException;
import io.dsec.model.SandboxId;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;

/** The directory of trajectories: names, sizes, ages. */
final class SpoolDirectory {
  private static final String SUFFIX = ".jsonl";
  private static final long BLOCK = 4096;

  private final Path directory;

  SpoolDirectory(Path directory) {
    this.directory = directory;
  }

  private record Entry(SandboxId id, Path file, Instant written, long size) {}

  Path file(SandboxId id) {
    return directory.resolve(id.value() + SUFFIX);
  }

  /**
   * Offers files to {@code remove}, oldest first: all that are older than {@code keptSince}, then
   * more while the rest is larger than nine tenths of {@code limit}.
   *
   * @return bytes of what is left, in whole blocks
   */
  long sweep(Instant keptSince, long limit, BiPredicate<SandboxId, Path> remove)
      throws IOException {
    List<Entry> entries = list();
    long total = entries.stream().mapToLong(Entry::size).sum();
    long goal = total >= limit ? limit - limit / 10 : limit;
    entries.sort(Comparator.comparing(Entry::written));
    for (Entry entry : entries) {
      if (total <= goal && !entry.written.isBefore(keptSince)) {
        break;
      }
      if (remove.test(entry.id, entry.file)) {
        total -= entry.size;
      }
    }
    return total;
  }

  private List<Entry> list() throws IOException {
    List<Entry> entries = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "sb-*" + SUFFIX)) {
      for (Path file : files) {
        entry(file).ifPresent(entries::add);
      }
    }
    return entries;
  }

  private static Optional<Entry> entry(Path file) throws IOException {
    String name = file.getFileName().toString();
    try {
      SandboxId id = new SandboxId(name.substring(0, name.length() - SUFFIX.length()));
      BasicFileAttributes of = Files.readAttributes(file, BasicFileAttributes.class);
      long blocks = (of.size() + BLOCK - 1) / BLOCK;
      return Optional.of(new Entry(id, file, of.lastModifiedTime().toInstant(), blocks * BLOCK));
    } catch (DsecException | NoSuchFileException _) {
      return Optional.empty();
    }
  }
}
