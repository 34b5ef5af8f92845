// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * What has to be undone when the command is interrupted, newest first. Ctrl-C and TERM begin the
 * JVM's shutdown, which runs this; the exit code is then 128 and the signal's number.
 */
public final class OnExit {
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
      synchronized (steps) {
        steps.remove(this);
      }
    }
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
    synchronized (steps) {
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
    synchronized (steps) {
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
    synchronized (steps) {
      return steps.poll();
    }
  }
}
