// SPDX-License-Identifier: Apache-2.0
package io.dsec.link;

import io.dsec.model.SandboxId;
import java.util.Objects;

/**
 * Where the writable layer of a new sandbox comes from.
 *
 * @param parent the sandbox that was copied
 * @param copy of its layer, made by {@link NodeCommands#copy}
 */
public record Fork(SandboxId parent, SandboxId copy) {
  public Fork {
    Objects.requireNonNull(parent);
    Objects.requireNonNull(copy);
  }
}
