// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.model.Guarantee;
import io.dsec.model.Resources;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** {@code guaranteed} of a create request. */
record GuaranteeRequest(@Nullable Double cpu, @Nullable JsonNode memory) {
  static final GuaranteeRequest NONE = new GuaranteeRequest(null, null);

  /** An interactive sandbox is nearly always idle: a tenth of its CPU. A task computes: all. */
  private static final double INTERACTIVE_SHARE = 0.1;

  Guarantee guarantee(Resources ceiling, boolean task) {
    return new Guarantee(
        cpu == null ? ceiling.cpu() * (task ? 1 : INTERACTIVE_SHARE) : cpu,
        Amount.size("guaranteed.memory", memory).orElse(ceiling.memory()));
  }
}
