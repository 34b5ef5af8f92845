// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.host;

import java.util.Map;

/** Error numbers of Linux that the node meets, by name and meaning. */
public final class Errno {
  public static final int EPERM = 1;
  public static final int ENOENT = 2;
  public static final int ESRCH = 3;
  public static final int EIO = 5;
  public static final int ENXIO = 6;
  public static final int EAGAIN = 11;
  public static final int EACCES = 13;
  public static final int EBUSY = 16;
  public static final int EEXIST = 17;
  public static final int ENODEV = 19;
  public static final int ENOTDIR = 20;
  public static final int EINVAL = 22;
  public static final int ENOTTY = 25;
  public static final int ENOSPC = 28;
  public static final int ENOSYS = 38;
  public static final int ENOTEMPTY = 39;
  public static final int EOPNOTSUPP = 95;
  public static final int ENOTCONN = 107;
  public static final int EDQUOT = 122;

  private static final Map<Integer, String> NAMES =
      Map.ofEntries(
          Map.entry(EPERM, "EPERM (not permitted)"),
          Map.entry(ENOENT, "ENOENT (no such file or directory)"),
          Map.entry(ESRCH, "ESRCH (no such process)"),
          Map.entry(EIO, "EIO (input/output error)"),
          Map.entry(ENXIO, "ENXIO (no such device)"),
          Map.entry(9, "EBADF (bad file descriptor)"),
          Map.entry(12, "ENOMEM (out of memory)"),
          Map.entry(EACCES, "EACCES (permission denied)"),
          Map.entry(14, "EFAULT (bad address)"),
          Map.entry(15, "ENOTBLK (not a block device)"),
          Map.entry(EBUSY, "EBUSY (in use)"),
          Map.entry(EEXIST, "EEXIST (exists)"),
          Map.entry(ENODEV, "ENODEV (kernel has no such file system or device)"),
          Map.entry(ENOTDIR, "ENOTDIR (not a directory)"),
          Map.entry(EINVAL, "EINVAL (invalid argument)"),
          Map.entry(24, "EMFILE (too many open files)"),
          Map.entry(ENOTTY, "ENOTTY (call not known to this file)"),
          Map.entry(27, "EFBIG (file too large)"),
          Map.entry(ENOSPC, "ENOSPC (no space left)"),
          Map.entry(30, "EROFS (read-only file system)"),
          Map.entry(34, "ERANGE (out of range)"),
          Map.entry(ENOSYS, "ENOSYS (kernel has no such call)"),
          Map.entry(ENOTEMPTY, "ENOTEMPTY (directory not empty)"),
          Map.entry(EOPNOTSUPP, "EOPNOTSUPP (not supported)"),
          Map.entry(ENOTCONN, "ENOTCONN (not connected)"),
          Map.entry(117, "EUCLEAN (file system damaged)"),
          Map.entry(EDQUOT, "EDQUOT (quota reached)"));

  private Errno() {}

  /** For instance {@code EBUSY (in use)}. */
  public static String describe(int errno) {
    return NAMES.getOrDefault(errno, "errno " + errno);
  }
}
