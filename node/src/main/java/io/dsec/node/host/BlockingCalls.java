// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.host;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * System calls that can block for long (mount, umount, removal of large trees) on a few platform
 * threads: on a virtual thread each would pin a carrier. The caller waits for the result.
 */
public final class BlockingCalls implements AutoCloseable {
  private final ExecutorService threads;

  public BlockingCalls(int size) {
    threads =
        Executors.newFixedThreadPool(
            size, Thread.ofPlatform().daemon().name("dsec-blocking-", 0).factory());
  }

  public void run(Runnable call) {
    var _ =
        get(
            () -> {
              call.run();
              return true;
            });
  }

  /** The call's own exception is thrown. An interrupt is kept for later: the call goes on. */
  public <T> T get(Supplier<T> call) {
    Future<T> result = threads.submit(call::get);
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return result.get();
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (ExecutionException e) {
          throw rethrown(e.getCause());
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Starts the call and does not wait; the call reports its own failure. */
  public void later(Runnable call) {
    threads.execute(call);
  }

  private static RuntimeException rethrown(@Nullable Throwable cause) {
    if (cause instanceof Error error) {
      throw error;
    }
    return cause instanceof RuntimeException e ? e : new IllegalStateException(cause);
  }

  /** Drops what has not begun, and waits for nothing. */
  public void stop() {
    var _ = threads.shutdownNow();
  }

  /** Waits for the calls under way. */
  @Override
  public void close() {
    threads.close();
  }
}
