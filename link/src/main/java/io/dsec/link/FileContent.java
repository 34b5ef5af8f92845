// SPDX-License-Identifier: Apache-2.0
package io.dsec.link;

import io.dsec.model.FileEntry;
import java.io.InputStream;

/** A part of a file that is being read; the caller closes it. */
public interface FileContent extends AutoCloseable {
  FileEntry entry();

  /** First byte that comes; negative when the file ends before the range. */
  long from();

  /** Bytes that come. */
  long count();

  /**
   * Exactly {@link #count} bytes; an {@code IOException} when the file could not be read to its
   * end.
   */
  InputStream bytes();

  @Override
  void close();
}
