// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import io.dsec.link.Json;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The node's own record of one sandbox: JSON Lines, appended and not synced (a power loss ends the
 * sandbox anyway), each append one write. Holds secrets: mode 0600 in a directory of mode 0700.
 */
final class Journal implements Closeable {
  static final String FILE = "journal.jsonl";

  private static final Set<StandardOpenOption> NEW =
      Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.APPEND);
  private static final FileAttribute<?> PRIVATE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

  private final Path path;
  private @Nullable FileChannel out;

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
    FileChannel open = out;
    if (open == null) {
      open = open();
      out = open;
    }
    for (ByteBuffer bytes = ByteBuffer.wrap(lines.toByteArray()); bytes.hasRemaining(); ) {
      open.write(bytes);
    }
  }

  private FileChannel open() throws IOException {
    try {
      return FileChannel.open(path, NEW, PRIVATE);
    } catch (FileAlreadyExistsException _) {
      cutTornTail();
      return FileChannel.open(path, StandardOpenOption.APPEND);
    }
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
