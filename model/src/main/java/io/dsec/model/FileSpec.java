// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

import java.util.Objects;

/**
 * A file put into a sandbox before its main command starts.
 *
 * @param path absolute, inside the sandbox
 * @param content exact bytes
 * @param mode permission bits; 0 means 0644
 */
public record FileSpec(String path, Bytes content, int mode) {
  public FileSpec {
    Objects.requireNonNull(content);
    Check.noNul("files", path);
    if (!path.startsWith("/") || path.endsWith("/")) {
      throw DsecException.invalid(
          "files", "files has the path \"%s\"; write an absolute file path".formatted(path));
    }
    Check.between("mode", mode, 0, 07777);
  }
}
