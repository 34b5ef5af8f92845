// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.host;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/** Files as block devices. A device frees itself when its last user is gone (autoclear). */
public final class LoopDevices {
  private static final Path CONTROL = Path.of("/dev/loop-control");
  private static final Path SYS_BLOCK = Path.of("/sys/block");
  private static final long LOOP_CTL_GET_FREE = 0x4C82;
  private static final long LOOP_CONFIGURE = 0x4C0A;
  private static final long LOOP_CLR_FD = 0x4C01;
  private static final int AUTOCLEAR = 4;
  private static final int DIRECT_IO = 16;
  private static final int BLOCK_DEVICE = 0060000;

  // struct loop_config: u32 fd, u32 block_size, struct loop_info64 (lo_flags at 52), u64[8]
  private static final long CONFIG_BYTES = 304;
  private static final long CONFIG_BLOCK_SIZE = 4;
  private static final long CONFIG_FLAGS = 8 + 52;

  private LoopDevices() {}

  /**
   * Attaches a file; the device lives as long as the descriptor or a mount of it. Direct I/O keeps
   * the data out of the page cache a second time; where the file's disk cannot, it is buffered.
   */
  public static Attached attach(Path file) {
    try (Descriptor backing = Syscalls.open(file, Syscalls.O_RDWR);
        Descriptor control = Syscalls.open(CONTROL, Syscalls.O_RDWR)) {
      for (int attempt = 0; ; attempt++) {
        long number = control.ioctl("LOOP_CTL_GET_FREE", LOOP_CTL_GET_FREE, 0);
        Path device = node(number);
        Descriptor loop = Syscalls.open(device, Syscalls.O_RDWR);
        try {
          configure(loop, backing, AUTOCLEAR | DIRECT_IO);
          return new Attached(device, loop);
        } catch (SyscallException e) {
          loop.close();
          // another process took the device between the two calls
          if (e.errno() != Errno.EBUSY || attempt == 50) {
            throw e;
          }
          LockSupport.parkNanos(200_000);
        }
      }
    }
  }

  private static void configure(Descriptor loop, Descriptor backing, int flags) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment config = arena.allocate(CONFIG_BYTES, 8);
      config.set(JAVA_INT, 0, backing.fd());
      config.set(JAVA_INT, CONFIG_FLAGS, flags);
      try {
        config.set(JAVA_INT, CONFIG_BLOCK_SIZE, 4096);
        var _ = loop.ioctl("LOOP_CONFIGURE", LOOP_CONFIGURE, config);
      } catch (SyscallException e) {
        if (e.errno() != Errno.EINVAL) {
          throw e;
        }
        config.set(JAVA_INT, CONFIG_BLOCK_SIZE, 0);
        config.set(JAVA_INT, CONFIG_FLAGS, flags & ~DIRECT_IO);
        var _ = loop.ioctl("LOOP_CONFIGURE", LOOP_CONFIGURE, config);
      }
    }
  }

  /** A container's /dev may lack nodes of devices that the kernel has just made. */
  private static Path node(long number) {
    Path device = Path.of("/dev/loop" + number);
    if (!Files.exists(device)) {
      try {
        Syscalls.mknod(device, BLOCK_DEVICE | 0600, 7, (int) number);
      } catch (SyscallException e) {
        if (e.errno() != Errno.EEXIST) {
          throw e;
        }
      }
    }
    return device;
  }

  /** Devices that show this file. */
  public static List<Path> showing(Path file) {
    List<Path> found = new ArrayList<>();
    try (Stream<Path> blocks = Files.list(SYS_BLOCK)) {
      for (Path block : blocks.toList()) {
        String name = block.getFileName().toString();
        if (name.startsWith("loop") && file.toString().equals(backing(block))) {
          found.add(Path.of("/dev", name));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found;
  }

  // /data/disk/pool.img            or, when the file was removed: /data/disk/pool.img (deleted)
  private static String backing(Path block) {
    try {
      return Files.readString(block.resolve("loop/backing_file")).strip();
    } catch (IOException e) {
      return ""; // not attached
    }
  }

  /** Frees every device that shows this file, at the latest when its last user is gone. */
  public static void detach(Path file) {
    for (Path device : showing(file)) {
      try (Descriptor loop = Syscalls.open(device, Syscalls.O_RDONLY)) {
        var _ = loop.ioctl("LOOP_CLR_FD", LOOP_CLR_FD, 0);
      } catch (SyscallException e) {
        if (e.errno() != Errno.ENXIO) {
          throw e;
        }
      }
    }
  }

  /** Mount the device, then close this. */
  public record Attached(Path device, Descriptor descriptor) implements AutoCloseable {
    @Override
    public void close() {
      descriptor.close();
    }
  }
}
