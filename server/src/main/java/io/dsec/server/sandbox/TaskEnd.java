// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.sandbox;

import io.dsec.model.Ending;
import io.dsec.model.ExecResult;
import java.util.Objects;
import java.util.Optional;

/** How the main command of a sandbox ended; without a result when the node has none to give. */
public record TaskEnd(Ending ending, Optional<ExecResult> result, SandboxRecord sandbox) {
  public TaskEnd {
    Objects.requireNonNull(ending);
    Objects.requireNonNull(result);
    Objects.requireNonNull(sandbox);
  }
}
