// SPDX-License-Identifier: Apache-2.0
package io.dsec.link;

import io.dsec.model.Guarantee;
import io.dsec.model.Tier;
import java.util.List;
import java.util.Map;

/**
 * What a node is and offers.
 *
 * @param tiers those whose self-test passed
 * @param unavailable the others, each with the reason
 * @param capacity all that placement may count on when the node is empty
 * @param diskBackend which mechanism bounds writable layers
 */
public record NodeInfo(
    String node,
    long epoch,
    List<Tier> tiers,
    Map<Tier, String> unavailable,
    Guarantee capacity,
    String diskBackend) {
  public NodeInfo {
    tiers = List.copyOf(tiers);
    unavailable = Map.copyOf(unavailable);
  }
}
