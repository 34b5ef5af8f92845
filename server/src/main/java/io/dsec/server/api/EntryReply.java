// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.dsec.link.Json;
import io.dsec.model.Bytes;
import io.dsec.model.FileEntry;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A file as replies show it.
 *
 * @param name with U+FFFD where its bytes are not UTF-8
 * @param nameBase64 the exact bytes, only then
 * @param mode in octal
 * @param target of a link
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
record EntryReply(
    String name,
    @Nullable String nameBase64,
    String type,
    String mode,
    long size,
    Instant modifiedAt,
    long uid,
    long gid,
    @Nullable String target,
    @Nullable String targetBase64) {
  static EntryReply of(FileEntry entry) {
    Optional<Bytes> target = entry.target();
    return new EntryReply(
        entry.name().lossyText(),
        exact(entry.name()),
        Json.lower(entry.type()),
        "%04o".formatted(entry.mode()),
        entry.size(),
        entry.modifiedAt(),
        entry.uid(),
        entry.gid(),
        target.map(Bytes::lossyText).orElse(null),
        target.map(EntryReply::exact).orElse(null));
  }

  /** Null for what its text gives exactly. */
  static @Nullable String exact(Bytes text) {
    return text.isUtf8() ? null : text.base64();
  }
}
