// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What has to be undone when the command is interrupted, newest first. Ctrl-C and TERM begin the
 * JVM's shutdown, which runs this; the exit code is then 128 and the signal's number.
 */
public final class OnExit {
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<Step> steps = new ArrayDeque<>();
  private volatile boolean interrupted;

  /** One registered step; closing it takes it back. */
  public final class Step implements AutoCloseable {
    private final Runnable undo;

    private Step(Runnable undo) {
      this.undo = undo;
    }

    @Override
    public void close() {
      try (Hold _ = hold()) {
        steps.remove(this);
      }
    }
  }

  /** While it is open, an interruption waits. */
  public final class Hold implements AutoCloseable {
    private Hold() {
      lock.lock();
    }

    @Override
    public void close() {
      lock.unlock();
    }
  }

  /** For making what will be undone: closed once its step is pushed. */
  public Hold hold() {
    return new Hold();
  }

  /** Connects this to the end of the process. */
  public static OnExit ofProcess() {
    OnExit onExit = new OnExit();
    Runtime.getRuntime()
        .addShutdownHook(Thread.ofPlatform().name("dsec-undo").unstarted(onExit::run));
    return onExit;
  }

  public Step push(Runnable undo) {
    Step step = new Step(undo);
    try (Hold _ = hold()) {
      steps.push(step);
    }
    return step;
  }

  /** True once the process is ending although its command has not finished. */
  public boolean interrupted() {
    return interrupted;
  }

  /** Runs all steps, each once; a failing one does not keep the others from running. */
  public void run() {
    try (Hold _ = hold()) {
      interrupted = !steps.isEmpty();
    }
    for (Step step = next(); step != null; step = next()) {
      try {
        step.undo.run();
      } catch (RuntimeException e) {
        System.err.println("dsec: while stopping: " + e.getMessage());
      }
    }
  }

  private @org.jspecify.annotations.Nullable Step next() {
    try (Hold _ = hold()) {
      return steps.poll();
    }
  }
}
