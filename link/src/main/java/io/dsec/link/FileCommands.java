// SPDX-License-Identifier: Apache-2.0
package io.dsec.link;

import io.dsec.model.SandboxId;
import java.util.Optional;

/** The files of sandboxes. */
public interface FileCommands {
  /** As {@code user} sees them and may use them; the sandbox's own user unless one is given. */
  SandboxFiles files(SandboxId id, Optional<String> user);
}
