// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

import java.time.Instant;
import java.util.Optional;

/**
 * A file as it is seen inside a sandbox.
 *
 * @param name last part of its path, in the bytes that the file system has
 * @param mode permission bits
 * @param size in bytes
 * @param uid of the owner, as inside
 * @param target of a link
 */
public record FileEntry(
    Bytes name,
    FileType type,
    int mode,
    long size,
    Instant modifiedAt,
    long uid,
    long gid,
    Optional<Bytes> target) {
  public FileEntry {
    Check.between("mode", mode, 0, 07777);
  }
}
