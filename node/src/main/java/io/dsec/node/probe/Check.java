// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.probe;

import java.nio.file.FileSystemException;

/**
 * One question to the host.
 *
 * @param hint what to do when the answer is no
 */
record Check(String name, boolean required, Question question, String hint) {
  /** Gives the detail of a good answer; says by any exception why it is not good. */
  @FunctionalInterface
  interface Question {
    String ask() throws Exception;
  }

  /** Never throws. */
  Finding run() {
    try {
      return new Finding(name, true, required, question.ask(), "");
    } catch (Exception | LinkageError e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      return new Finding(name, false, required, describe(e), hint);
    }
  }

  /** The JDK's file exceptions say what went wrong by their class alone. */
  private static String describe(Throwable e) {
    String kind = e.getClass().getSimpleName();
    if (e instanceof FileSystemException file && file.getReason() == null) {
      return kind.replace("Exception", "") + ": " + file.getFile();
    }
    return e.getMessage() == null ? kind : e.getMessage();
  }
}
