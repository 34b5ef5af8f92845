// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.channel;

import java.io.IOException;

/** The guest sent what the contract forbids: its connection is closed, nothing else is hurt. */
public final class ProtocolBreach extends IOException {
  public ProtocolBreach(String message) {
    super(message);
  }
}
