// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.launch;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.node.time.Timers;
import io.dsec.proto.launch.LaunchReply;
import io.dsec.proto.launch.LaunchRequest;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The native launcher as seen by the node: starts it, starts it again when it died, and asks it for
 * sandboxes over a few connections. A request that was under way when it died is sent once more.
 */
public final class Launcher implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Launcher.class);

  private final LauncherSettings settings;
  private final Timers timers;
  private final LauncherWatch watch;
  private final Semaphore slots;
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<LaunchConnection> idle = new ArrayDeque<>();
  private @Nullable LauncherProcess process;
  private boolean closed;

  public Launcher(LauncherSettings settings, Timers timers, LauncherWatch watch) {
    this.settings = settings;
    this.timers = timers;
    this.watch = watch;
    this.slots = new Semaphore(settings.connections(), true);
  }

  /**
   * Starts the process.
   *
   * @throws DsecException {@code INTERNAL} when it does not become ready
   */
  public void start() {
    try {
      ensureRunning();
    } catch (IOException e) {
      throw DsecException.of(
              ErrorCode.INTERNAL, "the launcher cannot be started: " + e.getMessage())
          .withCause(e);
    }
  }

  /**
   * Makes one sandbox.
   *
   * @param beforeRetry undoes what a launcher that died half way may have left
   * @throws DsecException {@code SANDBOX_FAILED}, naming the launcher's step
   */
  public Launched launch(LaunchOrder order, Runnable beforeRetry) {
    LaunchRequest request = order.request();
    slots.acquireUninterruptibly();
    try {
      return checked(ask(request));
    } catch (LauncherGone first) {
      log.warn("{}: {}; trying once more", request.getSandbox(), first.getMessage());
      beforeRetry.run();
      try {
        return checked(ask(request));
      } catch (IOException second) {
        throw failed(second.getMessage()).withCause(second);
      }
    } catch (IOException e) {
      throw failed(e.getMessage()).withCause(e);
    } finally {
      slots.release();
    }
  }

  private static Launched checked(LaunchReply reply) {
    if (!reply.getOk()) {
      throw failed(
          "launcher, step \"%s\": %s (errno %d)"
              .formatted(reply.getStep(), reply.getMessage(), reply.getErrno()));
    }
    return Launched.of(reply);
  }

  private static DsecException failed(@Nullable String message) {
    return DsecException.of(
        ErrorCode.SANDBOX_FAILED, "the sandbox could not be started: " + message);
  }

  private LaunchReply ask(LaunchRequest request) throws IOException {
    LauncherProcess asked = ensureRunning();
    LaunchConnection connection = take(asked);
    Timers.Handle deadline = timers.after(settings.deadline(), connection::close);
    boolean sound = false;
    try {
      LaunchReply reply = connection.ask(request);
      sound = true;
      return reply;
    } catch (IOException e) {
      asked.kill();
      throw new LauncherGone("the launcher did not answer", e);
    } finally {
      deadline.cancel();
      give(connection, sound);
    }
  }

  private LaunchConnection take(LauncherProcess asked) throws IOException {
    lock.lock();
    try {
      LaunchConnection connection = idle.pollFirst();
      return connection == null ? LaunchConnection.open(settings.socket()) : connection;
    } catch (IOException e) {
      asked.kill();
      throw new LauncherGone("the launcher cannot be reached", e);
    } finally {
      lock.unlock();
    }
  }

  private void give(LaunchConnection connection, boolean sound) {
    lock.lock();
    try {
      if (sound && !closed) {
        idle.addFirst(connection);
      } else {
        connection.close();
      }
    } finally {
      lock.unlock();
    }
  }

  private LauncherProcess ensureRunning() throws IOException {
    lock.lock();
    try {
      if (closed) {
        throw new IOException("the node is closing");
      }
      if (process != null && process.alive()) {
        return process;
      }
      if (process != null) {
        log.warn("the launcher (pid {}) has died; starting it again", process.pid());
        watch.restarted();
      }
      closeConnections();
      process = LauncherProcess.start(settings.program(), settings.socket(), timers);
      watch.started(process.pid());
      return process;
    } finally {
      lock.unlock();
    }
  }

  private void closeConnections() {
    idle.forEach(LaunchConnection::close);
    idle.clear();
  }

  /** Ends the launcher; sandboxes live on. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      closeConnections();
      if (process != null) {
        process.close();
      }
    } finally {
      lock.unlock();
    }
  }
}
