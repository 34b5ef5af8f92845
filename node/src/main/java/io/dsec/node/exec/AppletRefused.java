// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import java.io.IOException;

/**
 * An applet could not do what it is for; {@code errno} is the kernel's reason, as the guest tells.
 */
public final class AppletRefused extends IOException {
  private final int errno;

  AppletRefused(int errno, String message) {
    super(message);
    this.errno = errno;
  }

  public int errno() {
    return errno;
  }
}
