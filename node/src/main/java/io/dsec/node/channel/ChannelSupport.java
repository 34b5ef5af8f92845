// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.channel;

import io.dsec.node.time.Timers;

/** What all channels of a node share. */
public record ChannelSupport(
    BufferPool pool, Timers timers, ChannelSettings settings, Runnable onBreach) {}
