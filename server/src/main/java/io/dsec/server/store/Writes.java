// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.store;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one writer of the database, on a platform thread of its own. Callers wait for the commit that
 * carries their write; whatever queued up meanwhile shares that commit, so a storm of writes costs
 * few commits and a lone write costs one. Writes commit in the order they were given. When one of a
 * group fails, the group is rolled back and each is tried alone, so a bad write fails alone.
 */
public final class Writes implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Writes.class);
  private static final int GROUP = 1_000;
  private static final int WAITING = 20_000;

  private final Handle handle;
  private final BlockingQueue<Write<?>> queue = new LinkedBlockingQueue<>(WAITING);
  private final Thread thread;
  private volatile boolean closed;

  Writes(Handle handle) {
    this.handle = handle;
    this.thread = Thread.ofPlatform().name("dsec-store-writer").daemon(true).start(this::run);
  }

  /** A write that was given and may not be committed yet. */
  public interface Given<T> {
    /** Returns once it is committed. */
    T await();
  }

  /** Runs the write and returns once it is committed. */
  public <T> T call(Function<Handle, T> write) {
    return give(write).await();
  }

  /** Gives the write; those given later commit with it or after it. */
  public <T> Given<T> give(Function<Handle, T> write) {
    CompletableFuture<T> done = new CompletableFuture<>();
    if (closed) {
      throw stopped();
    }
    try {
      queue.put(new Write<>(write, done));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw DsecException.of(ErrorCode.INTERNAL, "interrupted while waiting for the database")
          .withCause(e);
    }
    if (closed && !thread.isAlive()) {
      done.completeExceptionally(stopped());
    }
    return () -> result(done);
  }

  private static <T> T result(CompletableFuture<T> done) {
    try {
      return done.join();
    } catch (CompletionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      if (cause instanceof DsecException own) {
        throw own;
      }
      throw DsecException.of(ErrorCode.INTERNAL, "the database refused a write: " + cause)
          .withCause(cause);
    }
  }

  /** Runs the write and returns once it is committed. */
  public void run(Consumer<Handle> write) {
    boolean _ =
        call(
            h -> {
              write.accept(h);
              return true;
            });
  }

  @Override
  public void close() {
    closed = true;
    queue.add(new Write<>(_ -> true, new CompletableFuture<>()));
    try {
      thread.join(10_000);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    List<Write<?>> group = new ArrayList<>(GROUP);
    while (!(closed && queue.isEmpty())) {
      try {
        group.add(queue.take());
        queue.drainTo(group, GROUP - 1);
        commit(group);
      } catch (InterruptedException _) {
        closed = true;
      } finally {
        group.clear();
      }
    }
    handle.close();
    queue.forEach(w -> w.done.completeExceptionally(stopped()));
  }

  private void commit(List<Write<?>> group) {
    Throwable failure = attempt(group);
    if (failure == null) {
      group.forEach(Write::complete);
    } else if (group.size() == 1) {
      LOG.warn("a write failed", failure);
      group.getFirst().done.completeExceptionally(failure);
    } else {
      group.forEach(w -> commit(List.of(w)));
    }
  }

  private @Nullable Throwable attempt(List<Write<?>> group) {
    try {
      handle.begin();
      for (Write<?> write : group) {
        write.apply(handle);
      }
      handle.commit();
      return null;
    } catch (RuntimeException | Error e) {
      rollback();
      return e;
    }
  }

  private void rollback() {
    try {
      handle.rollback();
    } catch (RuntimeException e) {
      LOG.warn("rollback failed", e);
    }
  }

  private static DsecException stopped() {
    return DsecException.of(ErrorCode.INTERNAL, "the database is closed: the server is stopping");
  }

  private static final class Write<T> {
    private final Function<Handle, T> body;
    private final CompletableFuture<T> done;
    private @Nullable T result;

    Write(Function<Handle, T> body, CompletableFuture<T> done) {
      this.body = body;
      this.done = done;
    }

    void apply(Handle handle) {
      result = body.apply(handle);
    }

    void complete() {
      T value = result;
      if (value == null) {
        done.completeExceptionally(new IllegalStateException("a write without a result"));
      } else {
        done.complete(value);
      }
    }
  }
}
