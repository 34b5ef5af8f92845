// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.schedule;

import io.dsec.link.NodeCommands;
import io.dsec.link.NodeInfo;

/** One node: how to reach it and what it offers. */
public record Member(NodeCommands commands, NodeInfo info) {
  public String name() {
    return info.node();
  }
}
