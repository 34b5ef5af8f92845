// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.api;

import io.dsec.server.admit.CreateLimit;
import io.dsec.server.batch.BatchSettings;
import io.dsec.server.batch.Batches;
import io.dsec.server.exec.Execs;
import io.dsec.server.observe.Meters;
import io.dsec.server.sandbox.Catalog;
import io.dsec.server.sandbox.Forks;
import io.dsec.server.sandbox.Intake;
import io.dsec.server.sandbox.Removals;
import io.dsec.server.sandbox.Renewal;
import io.dsec.server.schedule.Ledger;
import io.dsec.server.schedule.NodeDirectory;
import io.dsec.server.store.Database;
import io.dsec.server.task.Tasks;
import io.dsec.server.tenant.KeyRing;
import io.dsec.server.time.Timer;
import java.time.Clock;
import java.util.random.RandomGenerator;

/** What the API speaks for. */
public record ApiParts(
    Database database,
    KeyRing keys,
    NodeDirectory nodes,
    Ledger ledger,
    CreateLimit limit,
    Catalog catalog,
    Intake intake,
    Removals removals,
    Forks forks,
    Renewal renewal,
    Execs execs,
    Tasks tasks,
    Batches batches,
    BatchSettings batchSettings,
    Meters meters,
    Timer timer,
    RandomGenerator random,
    Clock clock) {}
