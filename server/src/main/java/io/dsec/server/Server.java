// SPDX-License-Identifier: Apache-2.0
package io.dsec.server;

import io.dsec.server.admit.CreateLimit;
import io.dsec.server.api.Api;
import io.dsec.server.api.ApiParts;
import io.dsec.server.api.StoredBatches;
import io.dsec.server.api.StoredRequest;
import io.dsec.server.batch.BatchParts;
import io.dsec.server.batch.BatchTable;
import io.dsec.server.batch.Batches;
import io.dsec.server.exec.Execs;
import io.dsec.server.observe.Meters;
import io.dsec.server.queue.WaitingLine;
import io.dsec.server.reap.Reaper;
import io.dsec.server.sandbox.Catalog;
import io.dsec.server.sandbox.Endings;
import io.dsec.server.sandbox.EventSink;
import io.dsec.server.sandbox.Forks;
import io.dsec.server.sandbox.Intake;
import io.dsec.server.sandbox.OwnerRouter;
import io.dsec.server.sandbox.Placements;
import io.dsec.server.sandbox.Removals;
import io.dsec.server.sandbox.Renewal;
import io.dsec.server.sandbox.Restoration;
import io.dsec.server.sandbox.Sandbox;
import io.dsec.server.sandbox.SandboxTable;
import io.dsec.server.sandbox.Settlement;
import io.dsec.server.schedule.Ledger;
import io.dsec.server.schedule.MostRoom;
import io.dsec.server.schedule.NodeDirectory;
import io.dsec.server.schedule.Scheduler;
import io.dsec.server.store.ClaimTable;
import io.dsec.server.store.Database;
import io.dsec.server.task.TaskTable;
import io.dsec.server.task.Tasks;
import io.dsec.server.tenant.AdminKeyFile;
import io.dsec.server.tenant.KeyRing;
import io.dsec.server.tenant.KeyTable;
import io.dsec.server.time.Timer;
import io.github.bucket4j.TimeMeter;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/**
 * The control plane, wired by hand: this page is the whole of it. Order of the start: tables, what
 * the last run left, the comparison with the nodes, and only then new work.
 */
public final class Server implements AutoCloseable {
  private final Database database;
  private final Scheduler<Sandbox> scheduler;
  private final Timer timer = new Timer();
  private final NodeDirectory nodes;
  private final Reaper reaper;
  private final Api api;

  private Server(
      ServerConfig config, NodeDirectory nodes, PrometheusRegistry registry, Clock clock) {
    this.nodes = nodes;
    SecureRandom random = new SecureRandom();
    Meters meters = new Meters(registry);
    database = Database.open(config.data().resolve("server.db"));
    KeyRing keys = new KeyRing(new KeyTable(database), random, clock);
    new AdminKeyFile(config.data()).ensure(keys);

    SandboxTable sandboxes = new SandboxTable(database);
    Catalog catalog = new Catalog(sandboxes);
    WaitingLine<Sandbox> line = new WaitingLine<>(config.admission().queueLimit());
    Ledger ledger = new Ledger(nodes);
    OwnerRouter owners = new OwnerRouter();
    Endings endings = new Endings(catalog, sandboxes, ledger, nodes, owners, meters, clock);
    Removals removals = new Removals(line, nodes, endings);
    Intake intake = new Intake(catalog, line, nodes, database.writes(), removals, clock);
    Settlement settlement = new Settlement(catalog, nodes, ledger, endings, clock);
    Placements placements = new Placements(sandboxes, endings, meters, clock);
    scheduler =
        new Scheduler<>(line, new MostRoom(), ledger, nodes, placements, config.admission());
    TaskTable taskTable = new TaskTable(database);
    Tasks tasks = new Tasks(taskTable, intake, catalog, removals, meters, random, clock);
    BatchTable batchTable = new BatchTable(database);
    Batches batches =
        new Batches(
            new BatchParts(
                batchTable,
                new StoredBatches(config.batches(), nodes),
                intake,
                catalog,
                removals,
                nodes,
                meters,
                this::later,
                random,
                clock));
    owners.connect(tasks, batches);
    reaper =
        new Reaper(
            catalog,
            removals,
            settlement,
            time -> {
              sandboxes.forgetEndedBefore(time);
              taskTable.forgetEndedBefore(time);
              batchTable.forgetEndedBefore(time);
              database.writes().run(h -> ClaimTable.forgetBefore(h, time));
            },
            config.reap(),
            clock);
    meters.gauge("dsec_queue_depth", "Sandboxes that wait for a node.", line::size);
    meters.gauge("dsec_sandboxes_open", "Sandboxes without an end.", catalog::size);

    meters.gauge("dsec_batches_open", "Batches without an end.", batches::open);
    meters.gauge("dsec_batch_tasks_open", "Their tasks without an end.", batches::tasksOpen);

    batches.load();
    nodes.listen(new EventSink(catalog, endings));
    new Restoration(sandboxes, catalog, line, nodes, endings, StoredRequest::spec).restore();
    settlement.settle();
    scheduler.start();
    batches.resume();
    var _ = timer.every(config.reap().every(), reaper::round);
    api =
        Api.start(
            config.host(),
            config.port(),
            config.api(),
            new ApiParts(
                database,
                keys,
                nodes,
                ledger,
                new CreateLimit(config.admission(), TimeMeter.SYSTEM_NANOTIME),
                catalog,
                intake,
                removals,
                new Forks(intake, placements, removals, endings, ledger, nodes),
                new Renewal(sandboxes, nodes, clock),
                new Execs(catalog, nodes, config.api().startWait(), Api.presence(timer), clock),
                tasks,
                batches,
                config.batches(),
                meters,
                timer,
                random,
                clock));
  }

  /** Starts a server for these nodes; {@code registry} takes its metrics. */
  public static Server start(
      ServerConfig config, NodeDirectory nodes, PrometheusRegistry registry) {
    return start(config, nodes, registry, Clock.systemUTC());
  }

  public static Server start(
      ServerConfig config, NodeDirectory nodes, PrometheusRegistry registry, Clock clock) {
    try {
      Files.createDirectories(config.data());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make the data directory " + config.data(), e);
    }
    return new Server(config, nodes, registry, clock);
  }

  public int port() {
    return api.port();
  }

  /** What it answers, each as {@code METHOD /path}. */
  public List<String> operations() {
    return api.operations();
  }

  private void later(Duration delay, Runnable action) {
    var _ = timer.after(delay, action);
  }

  /** One round of the reaper, now. */
  void reapNow() {
    reaper.round();
  }

  /** Lets running calls end within the bound, then stops. Sandboxes live on. */
  @Override
  public void close() {
    api.close();
    scheduler.close();
    timer.close();
    nodes.listen(io.dsec.link.NodeEvents.NONE);
    database.close();
  }
}
