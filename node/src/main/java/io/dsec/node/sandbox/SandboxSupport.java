// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.sandbox;

import io.dsec.node.cgroup.Cgroups;
import io.dsec.node.channel.ChannelSupport;
import io.dsec.node.disk.Layers;
import io.dsec.node.host.BlockingCalls;
import io.dsec.node.idrange.IdRanges;
import io.dsec.node.image.Images;
import io.dsec.node.launch.Launcher;
import io.dsec.node.metrics.NodeMetrics;
import io.dsec.node.record.Recordings;
import io.dsec.node.time.Timers;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.ExecutorService;

/**
 * What all sandboxes of a node share.
 *
 * @param node name of the node
 * @param epoch incarnation of the node
 * @param directory holds one directory per sandbox
 * @param dev shown at /dev
 * @param undo platform threads for steps of a tear-down, which may block in the kernel
 * @param reclaim a thread for taking memory back, which may take as long as the disk does
 */
public record SandboxSupport(
    String node,
    long epoch,
    Path directory,
    Path dev,
    Cgroups cgroups,
    Layers layers,
    Images images,
    IdRanges ids,
    Recordings recordings,
    Launcher launcher,
    ChannelSupport channels,
    Timers timers,
    Clock clock,
    NodeMetrics metrics,
    ExecutorService undo,
    BlockingCalls reclaim,
    SandboxWatch watch) {}
