// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.host;

import static io.dsec.node.host.Foreign.INT;
import static io.dsec.node.host.Foreign.LONG;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Capabilities of this process, which on Linux each thread has for itself. */
public final class Capabilities {
  static final int SYS_ADMIN = 21;
  static final int SYS_RESOURCE = 24;
  private static final int VERSION_3 = 0x20080522;

  private static final Foreign CAPGET = Foreign.function("capget", INT, LONG, LONG);
  private static final Foreign CAPSET = Foreign.function("capset", INT, LONG, LONG);

  private Capabilities() {}

  static boolean has(int capability) {
    try (var lines = Files.lines(Path.of("/proc/self/status"))) {
      // CapEff:	000001fffeffffff
      return lines
          .filter(line -> line.startsWith("CapEff:"))
          .map(line -> Long.parseUnsignedLong(line.substring(7).strip(), 16))
          .anyMatch(mask -> (mask >> capability & 1) == 1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs on a thread that has no CAP_SYS_RESOURCE, with which some quotas do not bind. */
  public static <T> T withoutResourceOverride(Supplier<T> body) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread.ofPlatform()
        .name("dsec-limited")
        .start(
            () -> {
              try {
                drop(SYS_RESOURCE);
                result.complete(body.get());
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
            });
    return result.join();
  }

  /**
   * SAFETY: header is u32 version, int pid (0: this thread); data is twice u32 effective,
   * permitted, inheritable. The thread ends after its one task, so nothing else runs with fewer
   * rights.
   */
  private static void drop(int capability) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment header = arena.allocate(8, 4);
      header.set(JAVA_INT, 0, VERSION_3);
      MemorySegment data = arena.allocate(24, 4);
      var _ = CAPGET.check("capget", "this thread", header.address(), data.address());
      data.set(JAVA_INT, 0, data.get(JAVA_INT, 0) & ~(1 << capability));
      var _ = CAPSET.check("capset", "this thread", header.address(), data.address());
    }
  }
}
