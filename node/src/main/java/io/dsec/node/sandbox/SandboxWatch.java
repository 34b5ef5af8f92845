// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

/** Hears of changes of a sandbox; must not block. */
public interface SandboxWatch {
  /** Its report has changed. */
  void changed(Sandbox sandbox);

  /** Everything it held is given back. */
  void cleaned(Sandbox sandbox);
}
