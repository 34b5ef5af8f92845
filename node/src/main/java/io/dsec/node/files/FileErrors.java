// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.files;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.node.host.Errno;
import io.dsec.proto.files.Failed;

/**
 * Turns what the guest says about a failure into an error of the API. The guest may say anything.
 */
final class FileErrors {
  private static final int MAX_MESSAGE = 4096;

  private static final int EAGAIN = 11;
  private static final int ENOMEM = 12;
  private static final int EISDIR = 21;
  private static final int ENFILE = 23;
  private static final int EMFILE = 24;
  private static final int ETXTBSY = 26;
  private static final int EXDEV = 18;
  private static final int EROFS = 30;
  private static final int ENAMETOOLONG = 36;
  private static final int ELOOP = 40;

  private FileErrors() {}

  static DsecException of(Failed failed) {
    String said = failed.getMessage();
    String message = said.length() <= MAX_MESSAGE ? said : said.substring(0, MAX_MESSAGE);
    return switch (failed.getProblem()) {
      case SYSTEM, UNRECOGNIZED -> system(failed.getErrno(), message).withField("path");
      case NOT_REGULAR ->
          error(ErrorCode.INVALID_REQUEST, message)
              .withField("path")
              .withHint("only regular files can be read and written here; use a program inside");
      case TOO_LARGE ->
          error(ErrorCode.TOO_LARGE, message)
              .withField("path")
              .withHint("read it by a program inside, for instance head");
      case BAD_ENTRY ->
          error(ErrorCode.INVALID_REQUEST, message)
              .withField("archive")
              .withHint("entries have relative names and stay below the directory named");
      case BAD_ARCHIVE -> error(ErrorCode.INVALID_REQUEST, message).withField("archive");
      case CUT -> error(ErrorCode.INVALID_REQUEST, message);
      case BAD_REQUEST -> error(ErrorCode.INVALID_REQUEST, message).withField("owner");
    };
  }

  private static DsecException system(int errno, String message) {
    return switch (errno) {
      case Errno.ENOENT -> error(ErrorCode.NOT_FOUND, message);
      case Errno.EACCES, Errno.EPERM, EROFS ->
          error(ErrorCode.FORBIDDEN, message)
              .withHint("the file is out of reach for this user; try user=root");
      case EISDIR -> error(ErrorCode.INVALID_REQUEST, message).withHint("name a file in it");
      case Errno.ENOTDIR, ELOOP, ENAMETOOLONG, Errno.EINVAL ->
          error(ErrorCode.INVALID_REQUEST, message);
      case Errno.EEXIST, Errno.EBUSY, ETXTBSY -> error(ErrorCode.CONFLICT, message);
      case Errno.ENOTEMPTY ->
          error(ErrorCode.CONFLICT, message).withHint("remove it with recursive=true");
      case EXDEV ->
          error(ErrorCode.CONFLICT, message)
              .withHint("it lies on another file system, or in the image; copy and remove it");
      case Errno.ENOSPC, Errno.EDQUOT ->
          error(ErrorCode.DISK_FULL, message)
              .withHint("remove something, or create the sandbox with more resources.disk");
      case EAGAIN, ENOMEM, ENFILE, EMFILE -> error(ErrorCode.NO_CAPACITY, message);
      default -> error(ErrorCode.CONFLICT, message);
    };
  }

  private static DsecException error(ErrorCode code, String message) {
    return DsecException.of(code, message);
  }
}
