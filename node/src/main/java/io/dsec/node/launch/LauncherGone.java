// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.launch;

import java.io.IOException;

/** The launcher did not answer: nobody knows how far it came with the request. */
final class LauncherGone extends IOException {
  LauncherGone(String message, Throwable cause) {
    super(message, cause);
  }
}
