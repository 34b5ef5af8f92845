// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.schedule;

import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.server.admit.AdmissionSettings;
import io.dsec.server.queue.WaitingLine;
import io.github.bucket4j.Bandwidth;
import io.github.bucket4j.BlockingBucket;
import io.github.bucket4j.Bucket;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes work from the line in order, chooses a node, and starts it there on a thread of its own.
 * Work that fits nowhere, or that its node refuses, goes back to its place and is tried again once
 * capacity was freed, at the latest after {@link #RETRY}.
 */
public final class Scheduler<W extends Waiting> implements AutoCloseable {
  static final Duration RETRY = Duration.ofMillis(250);
  private static final Logger LOG = LoggerFactory.getLogger(Scheduler.class);

  private final WaitingLine<W> line;
  private final Placer placer;
  private final Ledger ledger;
  private final NodeDirectory nodes;
  private final Starter<W> starter;
  private final Semaphore starts;
  private final Optional<BlockingBucket> rate;
  private final Refusals refusals = new Refusals();
  private volatile boolean stopped;
  private final Thread thread;

  public Scheduler(
      WaitingLine<W> line,
      Placer placer,
      Ledger ledger,
      NodeDirectory nodes,
      Starter<W> starter,
      AdmissionSettings settings) {
    this.line = line;
    this.placer = placer;
    this.ledger = ledger;
    this.nodes = nodes;
    this.starter = starter;
    this.starts = new Semaphore(settings.placementsInFlight());
    this.rate = rate(settings.placementsPerSecond());
    ledger.whenFreed(this::capacityFreed);
    this.thread = Thread.ofPlatform().name("dsec-scheduler").daemon(true).unstarted(this::run);
  }

  public void start() {
    thread.start();
  }

  @Override
  public void close() {
    stopped = true;
    line.wake();
    thread.interrupt();
  }

  private void capacityFreed() {
    refusals.clear();
    line.wake();
  }

  private void run() {
    while (!stopped) {
      try {
        round();
      } catch (InterruptedException _) {
        return;
      } catch (RuntimeException e) {
        LOG.error("a scheduling round failed", e);
      }
    }
  }

  private void round() throws InterruptedException {
    if (!starts.tryAcquire(RETRY.toMillis(), TimeUnit.MILLISECONDS)) {
      return;
    }
    boolean started = false;
    try {
      Optional<W> next = line.take(w -> !refusals.cover(w.tier(), w.demand()), RETRY);
      if (next.isPresent()) {
        started = tryStart(next.get());
      } else {
        refusals.clear();
      }
    } finally {
      if (!started) {
        starts.release();
      }
    }
  }

  private boolean tryStart(W work) throws InterruptedException {
    return switch (placer.choose(work.demand(), work.tier(), ledger.view())) {
      case Choice.Nowhere(String why) -> {
        putBack(work, why);
        yield false;
      }
      case Choice.On(String name) -> {
        Optional<Member> node = nodes.member(name);
        if (node.isEmpty()) {
          putBack(work, "node " + name + " left");
          yield false;
        }
        if (rate.isPresent()) {
          rate.get().consume(1);
        }
        ledger.promise(name, work.id(), work.demand());
        Thread _ =
            Thread.ofVirtual().name("start-" + work.id()).start(() -> startOn(work, node.get()));
        yield true;
      }
    };
  }

  private void startOn(W work, Member node) {
    try {
      starter.start(work, node);
    } catch (DsecException e) {
      if (e.code() == ErrorCode.NO_CAPACITY) {
        ledger.forget(work.id());
        putBack(work, "node " + node.name() + ": " + e.message());
      } else {
        LOG.error("start of {} ended with an error nobody took", work.id(), e);
      }
    } catch (RuntimeException e) {
      LOG.error("start of {} ended with an error nobody took", work.id(), e);
    } finally {
      starts.release();
    }
  }

  private void putBack(W work, String why) {
    starter.waits(work, why);
    refusals.add(work.tier(), work.demand());
    line.giveBack(work.priority(), work.tenant(), work);
    // Who withdraws it looks for it in the line, and did not find it there while it was held here.
    if (!work.wanted() && line.remove(work)) {
      starter.withdrawn(work);
    }
  }

  private static Optional<BlockingBucket> rate(int perSecond) {
    if (perSecond == 0) {
      return Optional.empty();
    }
    return Optional.of(
        Bucket.builder()
            .addLimit(
                Bandwidth.builder()
                    .capacity(Math.max(1, perSecond / 4))
                    .refillGreedy(perSecond, Duration.ofSeconds(1))
                    .build())
            .build()
            .asBlocking());
  }
}
