// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.schedule;

import io.dsec.model.Guarantee;
import io.dsec.model.Priority;
import io.dsec.model.SandboxId;
import io.dsec.model.Tier;

/** What the scheduler needs to know of work that waits for a node. */
public interface Waiting {
  SandboxId id();

  String tenant();

  Priority priority();

  Guarantee demand();

  Tier tier();

  /** False once it was withdrawn: it is to be started nowhere. */
  boolean wanted();
}
