// SPDX-License-Identifier: Apache-2.0
package io.dsec.link;

import io.dsec.model.SandboxId;

/** Servers inside sandboxes. */
public interface PortCommands {
  /**
   * Connects to a TCP server on the loopback address of a sandbox; the caller closes it. {@code
   * CONFLICT} with the field {@code port} when nothing listens there.
   */
  Duplex connect(SandboxId id, int port);
}
