// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.host;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** An open file that ioctl and its kin can be called on. */
public final class Descriptor implements AutoCloseable {
  private final int fd;
  private final Path path;

  Descriptor(int fd, Path path) {
    this.fd = fd;
    this.path = path;
  }

  int fd() {
    return fd;
  }

  Path path() {
    return path;
  }

  /** For calls that name another open file in their arguments. */
  public long number() {
    return fd;
  }

  /** {@code operation} is for the message of a failure. */
  public long ioctl(String operation, long request, MemorySegment argument) {
    return Syscalls.ioctl(operation, this, request, argument.address());
  }

  public long ioctl(String operation, long request, long argument) {
    return Syscalls.ioctl(operation, this, request, argument);
  }

  /** Where the next bytes that take space begin; -1 past the last. */
  public long nextData(long offset) {
    return Syscalls.seek(this, offset, 3);
  }

  /** Where the next hole begins, at the latest at the file's end. */
  public long nextHole(long offset) {
    return Syscalls.seek(this, offset, 4);
  }

  @Override
  public void close() {
    Syscalls.close(fd);
  }
}
