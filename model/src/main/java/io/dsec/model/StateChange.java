// SPDX-License-Identifier: Apache-2.0
package io.dsec.model;

import java.time.Instant;
import java.util.Objects;

/** One step of a sandbox's life: what it became, why, in words, when. */
public record StateChange(SandboxState state, Reason reason, String message, Instant at) {
  public StateChange {
    Objects.requireNonNull(state);
    Objects.requireNonNull(reason);
    Objects.requireNonNull(message);
    Objects.requireNonNull(at);
  }
}
