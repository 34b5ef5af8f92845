// SPDX-License-Identifier: Apache-2.0
package io.dsec.link;

/** What a node tells its server, of its own accord. Calls must not block for long. */
public interface NodeEvents {
  /**
   * A sandbox changed its state, or its main command ended. Later reports of one id supersede
   * earlier.
   */
  void changed(SandboxReport report);

  /** Every three seconds. */
  void beat(Heartbeat heartbeat);

  NodeEvents NONE =
      new NodeEvents() {
        @Override
        public void changed(SandboxReport report) {}

        @Override
        public void beat(Heartbeat heartbeat) {}
      };
}
