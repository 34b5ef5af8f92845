// SPDX-License-Identifier: Apache-2.0
package io.dsec.node.exec;

import io.dsec.node.channel.GuestLink;
import io.dsec.node.record.Recorder;
import io.dsec.node.time.Timers;
import java.nio.file.Path;
import java.time.Clock;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * What the execs of one sandbox share.
 *
 * @param directory for spool files
 * @param spool what they may take
 * @param killExec kills every process of an exec, by its number
 * @param pidsRefused how often the sandbox's pids limit has refused a fork
 */
public record ExecContext(
    GuestLink link,
    Recorder recorder,
    Path directory,
    SpoolBudget spool,
    ExecDefaults defaults,
    Timers timers,
    Clock clock,
    LongConsumer killExec,
    LongSupplier pidsRefused) {}
