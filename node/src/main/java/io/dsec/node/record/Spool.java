// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.record;

import java.util.function.LongSupplier;

/** What all recorders of a node share. */
record Spool(
    RecordConfig config,
    WallText wall,
    LongSupplier ticker,
    LineBuffers buffers,
    OpenFiles files,
    SpoolSize size,
    FlushLoop loop,
    RecordMetrics metrics) {}
