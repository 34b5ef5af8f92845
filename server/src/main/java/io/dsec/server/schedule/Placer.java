// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.schedule;

import io.dsec.model.Guarantee;
import io.dsec.model.Tier;
import java.util.List;

/** Chooses a node. Pure: the answer depends on the arguments alone. */
public interface Placer {
  Choice choose(Guarantee demand, Tier tier, List<NodeView> nodes);
}
