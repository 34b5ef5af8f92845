// SPDX-License-Identifier: Apache-2.0
package io.dsec.link;

import io.dsec.model.Bytes;
import io.dsec.model.FileEntry;
import java.io.IOException;
import java.io.InputStream;
import java.util.OptionalInt;

/**
 * The files of one sandbox for one of its users. Every path is absolute and resolves as for a
 * process of that user inside: links are followed there, and nothing outside can be reached. Errors
 * name the field {@code path}: {@code NOT_FOUND}, {@code FORBIDDEN}, {@code CONFLICT}, {@code
 * DISK_FULL}, {@code TOO_LARGE}, {@code INVALID_REQUEST} for what cannot be done with that kind of
 * file. An {@code IOException} is one of the streams given.
 */
public interface SandboxFiles {
  /** {@code follow}: what a link at the end of the path leads to. */
  FileEntry stat(Bytes path, boolean follow);

  /** Regular files only. */
  FileContent read(Bytes path, FileRange range);

  /**
   * Puts a file in the place of what is there, once all of its content has come; until then, and
   * when it never does, nothing changes. Directories above are made.
   *
   * @param mode else that of the file replaced, or 0644
   */
  FileEntry write(Bytes path, OptionalInt mode, InputStream content) throws IOException;

  /** Names beyond {@code after}. */
  FilePage list(Bytes path, Bytes after, int limit);

  /** {@code parents}: makes them too, and a directory that exists is fine. */
  FileEntry makeDirectory(Bytes path, int mode, boolean parents);

  /** {@code keep}: does not replace what is at {@code to}. */
  FileEntry move(Bytes from, Bytes to, boolean keep);

  void remove(Bytes path, boolean recursive);

  void changeMode(Bytes path, int mode, boolean recursive);

  /** {@code owner} is {@code user}, {@code user:group} or {@code :group}, names or numbers. */
  void changeOwner(Bytes path, String owner, boolean recursive);

  FileWatch watch(Bytes path, boolean recursive);

  /** A tar archive of a directory's content, or of one file; the caller closes it. */
  InputStream pack(Bytes path);

  /** Unpacks a tar archive into a directory; nothing gets outside of it. Returns its entries. */
  long unpack(Bytes path, InputStream archive) throws IOException;
}
