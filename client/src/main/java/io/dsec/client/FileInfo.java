// SPDX-License-Identifier: Apache-2.0
package io.dsec.client;

import io.dsec.model.Bytes;
import io.dsec.model.FileType;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A file as the server describes it.
 *
 * @param nameBase64 exact bytes of a name that is not UTF-8
 * @param mode permission bits in octal
 * @param target of a link
 */
public record FileInfo(
    String name,
    @Nullable String nameBase64,
    FileType type,
    String mode,
    long size,
    Instant modifiedAt,
    long uid,
    long gid,
    @Nullable String target,
    @Nullable String targetBase64) {
  public boolean isDirectory() {
    return type == FileType.DIRECTORY;
  }

  /** Permission bits. */
  public int permissions() {
    return Integer.parseInt(mode, 8);
  }

  /** The name as the file system has it. */
  public Bytes rawName() {
    return nameBase64 == null ? Bytes.utf8(name) : Bytes.base64(nameBase64);
  }
}
