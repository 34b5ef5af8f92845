// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.batch;

import java.time.Duration;
import java.util.Optional;

/**
 * How a batch goes about its tasks.
 *
 * @param waveSize tasks of a wave; empty: no waves, each task starts once its own dependencies
 *     ended
 * @param microBatch tasks that start together, per node
 * @param interval between two micro-batches
 * @param adaptive as fast as nodes take them, instead of micro-batches
 * @param window with {@code adaptive}: tasks that wait for a node at a time
 */
public record Pacing(
    Optional<Integer> waveSize, int microBatch, Duration interval, boolean adaptive, int window) {}
