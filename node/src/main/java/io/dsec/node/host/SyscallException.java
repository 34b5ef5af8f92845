// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.host;

/**
 * A system call that failed: the operation, its object, the error's name and, where known, a hint.
 */
public final class SyscallException extends RuntimeException {
  private final int errno;

  SyscallException(String operation, String object, int errno) {
    super(
        "%s %s: %s%s".formatted(operation, object, Errno.describe(errno), hint(operation, errno)));
    this.errno = errno;
  }

  public int errno() {
    return errno;
  }

  private static String hint(String operation, int errno) {
    return switch (errno) {
      case Errno.EPERM, Errno.EACCES -> "; dsec node needs root with CAP_SYS_ADMIN";
      case Errno.ENOSYS -> "; this kernel is too old, 6.13 or later is needed";
      case Errno.ENODEV -> "; load the kernel module, or choose another back end";
      case Errno.ENOSPC ->
          operation.startsWith("mkdir") ? "; too many groups, or the disk is full" : "";
      default -> "";
    };
  }
}
