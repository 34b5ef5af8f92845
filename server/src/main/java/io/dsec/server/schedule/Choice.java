// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.schedule;

/** Where to place, or why nowhere. */
public sealed interface Choice {
  record On(String node) implements Choice {}

  record Nowhere(String why) implements Choice {}
}
