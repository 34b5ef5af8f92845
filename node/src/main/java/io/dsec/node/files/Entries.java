// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.files;

import com.google.protobuf.ByteString;
import io.dsec.model.Bytes;
import io.dsec.model.FileChange;
import io.dsec.model.FileEntry;
import io.dsec.model.FileType;
import io.dsec.proto.files.Change;
import io.dsec.proto.files.Entry;
import java.time.Instant;
import java.util.Optional;

/** What the guest tells of files, made fit for the model whatever it says. */
final class Entries {
  private static final long MAX_SECONDS = 253_402_300_799L; // the year 9999

  private Entries() {}

  static FileEntry of(Entry entry) {
    FileType type =
        switch (entry.getType()) {
          case FILE, UNRECOGNIZED -> FileType.FILE;
          case DIRECTORY -> FileType.DIRECTORY;
          case LINK -> FileType.LINK;
          case PIPE -> FileType.PIPE;
          case SOCKET -> FileType.SOCKET;
          case CHARACTER_DEVICE, BLOCK_DEVICE -> FileType.DEVICE;
        };
    long seconds = Math.clamp(entry.getMtimeSeconds(), -MAX_SECONDS, MAX_SECONDS);
    return new FileEntry(
        bytes(entry.getName()),
        type,
        entry.getMode() & 07777,
        Math.max(0, entry.getSize()),
        Instant.ofEpochSecond(seconds, Math.floorMod(entry.getMtimeNanos(), 1_000_000_000)),
        Integer.toUnsignedLong(entry.getUid()),
        Integer.toUnsignedLong(entry.getGid()),
        type == FileType.LINK ? Optional.of(bytes(entry.getTarget())) : Optional.empty());
  }

  static FileChange of(Change change) {
    FileChange.Kind kind =
        switch (change.getKind()) {
          case CREATED -> FileChange.Kind.CREATE;
          case MODIFIED -> FileChange.Kind.MODIFY;
          case DELETED -> FileChange.Kind.DELETE;
          case MOVED -> FileChange.Kind.RENAME;
          case ATTRIBUTES -> FileChange.Kind.CHMOD;
          case OVERFLOW, UNRECOGNIZED -> FileChange.Kind.OVERFLOW;
          case GONE -> FileChange.Kind.GONE;
        };
    Optional<Bytes> from = Optional.of(bytes(change.getFrom())).filter(path -> !path.isEmpty());
    return new FileChange(kind, bytes(change.getPath()), from, change.getDirectory());
  }

  static Bytes bytes(ByteString text) {
    return Bytes.wrap(text.toByteArray());
  }

  static ByteString bytes(Bytes text) {
    return ByteString.copyFrom(text.buffer());
  }
}
