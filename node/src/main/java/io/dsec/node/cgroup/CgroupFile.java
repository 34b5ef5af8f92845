// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.cgroup;

import io.dsec.node.host.Errno;
import io.dsec.node.host.KernelFile;
import io.dsec.node.host.SyscallException;
import io.dsec.node.host.Syscalls;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** A control file. Failed writes say which value went where, and the error's name. */
record CgroupFile(Path path) {
  static CgroupFile of(Path group, String name) {
    return new CgroupFile(group.resolve(name));
  }

  boolean exists() {
    return Files.exists(path);
  }

  void write(Object value) {
    Syscalls.writeControl(path, value.toString());
  }

  /** False when the group is gone, or the process that was named. */
  boolean writeIfThere(Object value) {
    try {
      write(value);
      return true;
    } catch (SyscallException e) {
      if (e.errno() == Errno.ENOENT || e.errno() == Errno.ENODEV || e.errno() == Errno.ESRCH) {
        return false;
      }
      throw e;
    }
  }

  /** The trimmed text; empty when the group or the file is not there. */
  String read() {
    try {
      return KernelFile.read(path).strip();
    } catch (NoSuchFileException e) {
      return "";
    } catch (IOException e) {
      // the group was removed between open and read
      if (e.getMessage() != null && e.getMessage().contains("No such device")) {
        return "";
      }
      throw new UncheckedIOException("read " + path + ": " + e.getMessage(), e);
    }
  }

  /** A single number; {@code max} and a missing file count as {@code otherwise}. */
  long number(long otherwise) {
    return KernelText.number(read(), otherwise);
  }

  /** The number that follows {@code key} on a line of its own; 0 when there is none. */
  long field(String key) {
    return KernelText.field(read(), key);
  }

  List<Long> pids() {
    return read().lines().map(Long::parseLong).toList();
  }
}
