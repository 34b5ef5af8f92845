// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.batch;

import io.dsec.server.observe.Meters;
import io.dsec.server.sandbox.Catalog;
import io.dsec.server.sandbox.Intake;
import io.dsec.server.sandbox.Removals;
import io.dsec.server.schedule.NodeDirectory;
import java.time.Clock;
import java.util.random.RandomGenerator;

/** What running batches work with. */
public record BatchParts(
    BatchTable table,
    TaskOrders orders,
    Intake intake,
    Catalog catalog,
    Removals removals,
    NodeDirectory nodes,
    Meters meters,
    Alarm alarm,
    RandomGenerator random,
    Clock clock) {}
