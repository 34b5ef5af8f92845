// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.launch;

/** Hears of the launcher's own life. */
public interface LauncherWatch {
  /** It is ready and has made nothing yet. */
  void started(long pid);

  /** It died and is being started again. */
  void restarted();
}
