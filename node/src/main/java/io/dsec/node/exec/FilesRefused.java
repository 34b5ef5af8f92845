// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

/** A file could not be written inside a sandbox; the message names path and cause. */
public final class FilesRefused extends Exception {
  public FilesRefused(String message) {
    super(message);
  }
}
