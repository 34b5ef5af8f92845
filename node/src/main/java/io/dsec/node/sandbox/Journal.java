// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import io.dsec.link.Json;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The node's own record of one sandbox: JSON Lines, appended and not synced (a power loss ends the
 * sandbox anyway), each append one write. Holds secrets: mode 0600 in a directory of mode 0700. Not
 * a {@code FileChannel}: that is closed for good when a thread that writes is interrupted.
 */
final class Journal implements Closeable {
  static final String FILE = "journal.jsonl";

  private static final FileAttribute<?> PRIVATE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final Path path;
  private @Nullable FileOutputStream out;

  /** Of a sandbox whose directory exists. */
  Journal(Path directory) {
    this.path = directory.resolve(FILE);
  }

  /**
   * All entries or, after a crash, the first few of them: a torn last line is ignored on reading.
   */
  synchronized void append(JournalEntry... entries) throws IOException {
    ByteArrayOutputStream lines = new ByteArrayOutputStream(512);
    for (JournalEntry entry : entries) {
      lines.writeBytes(line(entry));
    }
    FileOutputStream open = out;
    if (open == null) {
      open = open();
      out = open;
    }
    open.write(lines.toByteArray());
  }

  private FileOutputStream open() throws IOException {
    try {
      Path _ = Files.createFile(path, PRIVATE);
    } catch (FileAlreadyExistsException _) {
      cutTornTail();
    }
    return new FileOutputStream(path.toFile(), true);
  }

  /** What a crash left of a last line would spoil the next one. */
  private void cutTornTail() throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
      long end = file.length();
      for (boolean whole = end == 0; !whole; ) {
        file.seek(end - 1);
        whole = file.read() == '\n' || --end == 0;
      }
      if (end < file.length()) {
        file.setLength(end);
      }
    }
  }

  private static byte[] line(JournalEntry entry) {
    String kind = entry.getClass().getSimpleName().toLowerCase(Locale.ROOT);
    String json = Json.mapper().writeValueAsString(Map.of(kind, entry));
    return (json + "\n").getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public synchronized void close() throws IOException {
    if (out != null) {
      out.close();
      out = null;
    }
  }
}
