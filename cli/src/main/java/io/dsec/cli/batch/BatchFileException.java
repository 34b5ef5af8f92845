// SPDX-License-Identifier: Apache-2.0
package io.dsec.cli.batch;

/** A batch file cannot be used; the message begins with file, line and column. */
public final class BatchFileException extends RuntimeException {
  BatchFileException(Mark at, String message) {
    super(at + ": " + message);
  }

  BatchFileException(String message, Throwable cause) {
    super(message, cause);
  }
}
