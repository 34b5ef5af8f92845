// SPDX-License-Identifier: Apache-2.0
package io.dsec.server.sandbox;

import io.dsec.link.Fork;
import io.dsec.link.Json;
import io.dsec.model.DsecException;
import io.dsec.model.ErrorCode;
import io.dsec.model.Guarantee;
import io.dsec.model.Reason;
import io.dsec.model.SandboxId;
import io.dsec.model.SandboxSpec;
import io.dsec.model.SandboxState;
import io.dsec.server.schedule.Ledger;
import io.dsec.server.schedule.Member;
import io.dsec.server.schedule.NodeDirectory;
import io.dsec.server.store.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes sandboxes that begin with another's files, on its node: all of those asked for, or none.
 * They wait in no line, since nothing is kept of the moment that was copied: what has no room now
 * is refused.
 */
public final class Forks {
  private static final Logger LOG = LoggerFactory.getLogger(Forks.class);
  private static final int AT_ONCE = 8;
  private static final Duration TO_END = Duration.ofSeconds(15);

  private final Intake intake;
  private final Placements placements;
  private final Removals removals;
  private final Endings endings;
  private final Ledger ledger;
  private final NodeDirectory nodes;

  public Forks(
      Intake intake,
      Placements placements,
      Removals removals,
      Endings endings,
      Ledger ledger,
      NodeDirectory nodes) {
    this.intake = intake;
    this.placements = placements;
    this.removals = removals;
    this.endings = endings;
    this.ledger = ledger;
    this.nodes = nodes;
  }

  /**
   * @param copy a fresh id, for the copy of the parent's layer
   * @param children fresh ids
   * @param change from the parent's specification to the children's
   */
  public record Order(
      Sandbox parent,
      SandboxId copy,
      List<SandboxId> children,
      UnaryOperator<SandboxSpec> change,
      Optional<Claim> identity) {
    public Order {
      children = List.copyOf(children);
    }
  }

  /** They run, or an error tells what kept one from it and none is left. */
  public AcceptedMany fork(Order order) throws InterruptedException {
    SandboxRecord parent = order.parent().record();
    Optional<List<String>> before = order.identity().flatMap(intake::before);
    if (before.isPresent()) {
      return new AcceptedMany.Before(before.get());
    }
    Member node =
        Optional.ofNullable(parent.node())
            .flatMap(nodes::member)
            .orElseThrow(
                () ->
                    DsecException.of(
                            ErrorCode.NO_CAPACITY, "the node of " + parent.id() + " is away")
                        .withRetryAfter(Duration.ofSeconds(3)));
    reserve(order, parent, node);
    boolean kept = false;
    try {
      SandboxSpec spec = node.commands().copy(parent.id(), order.copy(), order.children());
      AcceptedMany accepted = intake.acceptMany(children(order, parent, spec), order.identity());
      if (accepted instanceof AcceptedMany.Created(List<Sandbox> children)) {
        kept = true;
        startAll(children, node);
      }
      return accepted;
    } finally {
      node.commands().dropCopy(order.copy());
      if (!kept) {
        order.children().forEach(ledger::release);
      }
    }
  }

  private void reserve(Order order, SandboxRecord parent, Member node) {
    Map<SandboxId, Guarantee> demands = new HashMap<>();
    order.children().forEach(id -> demands.put(id, parent.guaranteed()));
    if (!ledger.promiseAll(node.name(), demands)) {
      Guarantee each = parent.guaranteed();
      throw DsecException.of(
              ErrorCode.NO_CAPACITY,
              String.format(
                  Locale.ROOT,
                  "%d forks of %s need %.2f CPU and %d MiB each on its node %s, which has not as much left",
                  demands.size(),
                  parent.id(),
                  each.cpu(),
                  each.memory() >> 20,
                  node.name()))
          .withRetryAfter(Duration.ofSeconds(1))
          .withHint("ask for fewer, or try again once others have ended; nothing was made");
    }
  }

  private static List<NewSandbox> children(Order order, SandboxRecord parent, SandboxSpec spec) {
    SandboxSpec changed = order.change().apply(spec);
    Fork fork = new Fork(parent.id(), order.copy());
    List<NewSandbox> children = new ArrayList<>();
    for (SandboxId id : order.children()) {
      children.add(NewSandbox.of(id, parent.tenant(), changed, parent.tier()).from(fork));
    }
    return children;
  }

  private void startAll(List<Sandbox> children, Member node) throws InterruptedException {
    Semaphore turns = new Semaphore(AT_ONCE);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (Sandbox child : children) {
        turns.acquire();
        threads.execute(
            () -> {
              try {
                start(child, node);
              } finally {
                turns.release();
              }
            });
      }
    }
    Optional<Sandbox> failed = children.stream().filter(c -> !runs(c)).findFirst();
    if (failed.isPresent()) {
      throw undo(children, failed.get());
    }
  }

  private static boolean runs(Sandbox child) {
    SandboxState now = child.state();
    return now == SandboxState.RUNNING || now == SandboxState.PAUSED;
  }

  private void start(Sandbox child, Member node) {
    try {
      placements.start(child, node);
    } catch (DsecException e) {
      endings.startFailed(child, e);
    } catch (RuntimeException e) {
      LOG.error("start of the fork {} failed", child.id(), e);
      endings.startFailed(
          child, DsecException.of(ErrorCode.SANDBOX_FAILED, "a fork did not start: " + e));
    }
  }

  private DsecException undo(List<Sandbox> children, Sandbox failed) throws InterruptedException {
    children.forEach(c -> removals.begin(c, Duration.ZERO, Reason.CANCELLED));
    long end = System.nanoTime() + TO_END.toNanos();
    for (Sandbox child : children) {
      Duration left = Duration.ofNanos(Math.max(0, end - System.nanoTime()));
      boolean _ = child.await(c -> c.ended() && c.stored(), left);
    }
    SandboxRecord record = failed.record();
    String why =
        failed
            .failure()
            .map(DsecException::message)
            .orElseGet(
                () ->
                    Json.lower(record.state()) + " (" + Json.lower(record.change().reason()) + ")");
    ErrorCode code = failed.failure().map(DsecException::code).orElse(ErrorCode.SANDBOX_FAILED);
    return DsecException.of(
            code, "one of %d forks did not start: %s".formatted(children.size(), why))
        .withHint("none of them was kept; the parent goes on as it was");
  }
}
