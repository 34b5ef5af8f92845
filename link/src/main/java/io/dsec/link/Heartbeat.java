// SPDX-License-Identifier: Apache-2.0
package io.dsec.link;

import io.dsec.model.Guarantee;
import java.time.Instant;

/**
 * Sign of life of a node.
 *
 * @param epoch incarnation of the node; grows with each restart
 * @param live sandboxes that hold kernel objects
 * @param free what placement may still count on
 */
public record Heartbeat(String node, long epoch, Instant at, int live, Guarantee free) {}
