// SPDX-License-Identifier: Apache-2.0
package io.dsec.link;

import io.dsec.model.FileEntry;
import java.util.List;

/** Some entries of a directory, in the order of their names' bytes; {@code more} follow. */
public record FilePage(List<FileEntry> entries, boolean more) {
  public FilePage {
    entries = List.copyOf(entries);
  }
}
