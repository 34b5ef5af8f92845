// SPDX-License-Identifier: Apache-2.0
package io.dsec.link;

import io.dsec.model.ExecResult;
import io.dsec.model.ExecSpec;
import io.dsec.model.ProcessInfo;
import io.dsec.model.SandboxId;
import io.dsec.model.TerminalSize;
import java.time.Duration;
import java.util.List;

/**
 * The processes of sandboxes. Every command is one, whether a caller waits for it or not; it is
 * known by its id until {@link #forget}, or until it has ended and younger ones took its place.
 * {@code NOT_FOUND} for ids of processes that are not known (any more).
 */
public interface ProcessCommands {
  /**
   * Runs one command to its end. {@code listener} is called on the caller's thread's behalf, in
   * order, never concurrently, and may block: only this exec's output waits for it. A command that
   * cannot start is an {@link io.dsec.model.Ending.NotStarted} in the result.
   */
  ExecResult exec(SandboxId id, ExecSpec spec, ExecListener listener);

  /** Starts a command in the background; returns once it runs, or has failed to. */
  ProcessInfo start(SandboxId id, ExecSpec spec);

  /** Newest first. */
  List<ProcessInfo> processes(SandboxId id);

  default ProcessInfo process(SandboxId id, String process) {
    return process(id, process, Duration.ZERO);
  }

  /** As it is now, or once it has ended when that comes within {@code wait}. */
  ProcessInfo process(SandboxId id, String process, Duration wait);

  /** From {@code offset} on; waits for more when following. */
  OutputCursor output(
      SandboxId id, String process, ExecListener.Stream stream, long offset, boolean follow);

  /**
   * Attaches to a terminal: what it shows, from at most {@code recent} bytes back. While it is the
   * last one attached, and is not closed, the program waits for it to be read.
   */
  OutputCursor attach(SandboxId id, String process, long recent);

  /** Its terminal has another size. */
  void resize(SandboxId id, String process, TerminalSize size);

  /** What it reads; {@code CONFLICT} later for one that was started without. */
  ProcessInput input(SandboxId id, String process);

  /**
   * {@code group}: to its whole process group; of a terminal to the one in the foreground. A
   * process that has ended takes none.
   */
  void signal(SandboxId id, String process, int signal, boolean group);

  /** Kills all that is left of it, and drops its record. Safe to repeat. */
  void forget(SandboxId id, String process);
}
