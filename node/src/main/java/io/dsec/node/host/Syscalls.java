// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.host;

import static io.dsec.node.host.Foreign.INT;
import static io.dsec.node.host.Foreign.LONG;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The system calls that the node needs and the JDK does not offer. A call pins its carrier thread;
 * one that may block belongs into {@link BlockingCalls}.
 *
 * <p>SAFETY, for the whole class: every pointer handed over lies in a confined arena that is closed
 * after the call; strings end in NUL; the kernel keeps none of them after it returned.
 */
public final class Syscalls {
  public static final int O_RDONLY = 0;
  public static final int O_WRONLY = 1;
  public static final int O_RDWR = 2;
  private static final int O_CLOEXEC = 0x80000;

  private static final Foreign OPEN = Foreign.variadic("open", 2, INT, LONG, INT, INT);
  private static final Foreign CLOSE = Foreign.function("close", INT, INT);
  private static final Foreign WRITE = Foreign.function("write", LONG, INT, LONG, LONG);
  private static final Foreign LSEEK = Foreign.function("lseek", LONG, INT, LONG, INT);
  private static final Foreign IOCTL = Foreign.variadic("ioctl", 2, INT, INT, LONG, LONG);
  private static final Foreign MOUNT = Foreign.function("mount", INT, LONG, LONG, LONG, LONG, LONG);
  private static final Foreign UMOUNT2 = Foreign.function("umount2", INT, LONG, INT);
  private static final Foreign MKNOD = Foreign.function("mknod", INT, LONG, INT, LONG);
  private static final Foreign MKDIR = Foreign.function("mkdir", INT, LONG, INT);
  private static final Foreign LCHOWN = Foreign.function("lchown", INT, LONG, INT, INT);
  private static final Foreign RMDIR = Foreign.function("rmdir", INT, LONG);
  private static final Foreign GETEUID = Foreign.function("geteuid", INT);
  private static final Foreign SYSCALL =
      Foreign.variadic("syscall", 1, LONG, LONG, LONG, LONG, LONG, LONG, LONG);

  private Syscalls() {}

  public static int effectiveUid() {
    return (int) GETEUID.call();
  }

  /** Opens what exists. */
  public static Descriptor open(Path path, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      long fd = OPEN.check("open", path, address(arena, path), flags | O_CLOEXEC, 0);
      return new Descriptor((int) fd, path);
    }
  }

  static void close(int fd) {
    var _ = CLOSE.call(fd);
  }

  /** One write(2), as the control files of the kernel want it. */
  public static void writeControl(Path file, String value) {
    try (Descriptor open = open(file, O_WRONLY);
        Arena arena = Arena.ofConfined()) {
      byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
      MemorySegment text = arena.allocateFrom(JAVA_BYTE, bytes);
      var _ =
          WRITE.check(
              "write \"%s\" to".formatted(value), file, open.fd(), text.address(), bytes.length);
    }
  }

  /** {@code argument} is a number or the address of a structure that outlives the call. */
  static long ioctl(String operation, Descriptor file, long request, long argument) {
    return IOCTL.check(operation, file.path(), file.fd(), request, argument);
  }

  /** {@code whence} 3 finds data from {@code offset} on, 4 a hole; -1 when there is none. */
  static long seek(Descriptor file, long offset, int whence) {
    long found = LSEEK.call(file.fd(), offset, whence);
    if (found < 0 && found != -Errno.ENXIO) {
      throw new SyscallException("lseek", file.path().toString(), (int) -found);
    }
    return Math.max(-1, found);
  }

  static void mount(String source, Path target, String type, long flags, String options) {
    String operation = "mount %s (%s) on".formatted(type, options);
    try (Arena arena = Arena.ofConfined()) {
      var _ =
          MOUNT.check(
              operation,
              target,
              address(arena, source),
              address(arena, target),
              address(arena, type),
              flags,
              address(arena, options));
    }
  }

  static void unmount(Path target, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      var _ = UMOUNT2.check("umount", target, address(arena, target), flags);
    }
  }

  /** {@code mode} holds the file type; the process's umask applies. */
  static void mknod(Path path, int mode, int major, int minor) {
    // makedev(3) for a major below 4,096
    long device = (long) major << 8 | (minor & 0xff) | (minor & 0xfff00L) << 12;
    try (Arena arena = Arena.ofConfined()) {
      var _ = MKNOD.check("mknod", path, address(arena, path), mode, device);
    }
  }

  public static void mkdir(Path path, int mode) {
    try (Arena arena = Arena.ofConfined()) {
      var _ = MKDIR.check("mkdir", path, address(arena, path), mode);
    }
  }

  /** Of the link itself where {@code path} is one. */
  static void lchown(Path path, int uid, int gid) {
    try (Arena arena = Arena.ofConfined()) {
      var _ = LCHOWN.check("chown", path, address(arena, path), uid, gid);
    }
  }

  public static void rmdir(Path path) {
    try (Arena arena = Arena.ofConfined()) {
      var _ = RMDIR.check("rmdir", path, address(arena, path));
    }
  }

  /** Calls that the C library does not wrap. Numbers from 424 on are alike on all machines. */
  static long syscall(
      String operation, Object object, long number, long a, long b, long c, long d, long e) {
    return SYSCALL.check(operation, object, number, a, b, c, d, e);
  }

  private static long address(Arena arena, Object text) {
    return arena.allocateFrom(text.toString()).address();
  }
}
